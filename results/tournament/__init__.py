"""Runs of tournaments: layout, checks, sums and figures of their tables."""
