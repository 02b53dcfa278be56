"""The domain: games, bots, chance, tables and jobs as values, compiled; no input or output, no clock."""
