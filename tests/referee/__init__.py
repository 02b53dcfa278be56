"""Referees: programs that know only RULES.md and re-judge whole games from their transcripts."""
