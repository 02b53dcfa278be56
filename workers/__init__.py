"""Execution: bot and job files, playing here or on the queue; broker, workers, steward."""
