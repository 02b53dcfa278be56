"""The queue as a service: Celery workers, the steward, and what steers and watches them."""
