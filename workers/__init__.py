"""Execution: bot and job files, playing here or on the queue, broker, worker, steward; what a run needs from outside."""
