"""The Celery application: its settings, and why each is as it is. Importing this imports Celery."""

from typing import Any

from celery import Celery
from celery.loaders.app import AppLoader

from workers.broker.embedded import client, is_private
from workers.broker.ledger import Ledger
from workers.service.tasks import LIMIT_S, register
from workers.service.transport import address

# Celery on Redis can lose a message and can deliver one twice, and no setting changes that. So messages are
# hints: a part is played again until it is committed, and the settings only make that rare and cheap.
SETTINGS: dict[str, Any] = {
    # Nothing but JSON is ever decoded, and no result is kept: the run's folder holds what was done.
    "task_serializer": "json",
    "accept_content": ["json"],
    "result_backend": None,
    "task_ignore_result": True,
    # A message is done when its part is: one whose process dies comes back.
    "task_acks_late": True,
    "task_reject_on_worker_lost": True,
    "task_acks_on_failure": True,
    "task_acks_on_timeout": True,
    "worker_prefetch_multiplier": 1,
    # A part takes 2-5 s. A soft limit does nothing inside a compiled loop; the hard one kills the process.
    "task_time_limit": LIMIT_S,
    # True would throw away the work at hand whenever the broker is gone for a moment.
    "worker_cancel_long_running_tasks_on_connection_loss": False,
    "broker_connection_retry_on_startup": True,
    "broker_connection_max_retries": None,
    # A broker that is full or refuses a command is asked again: it is no reason to end.
    "broker_channel_error_retry": True,
    "worker_soft_shutdown_timeout": 10,
    "broker_transport_options": {
        "global_keyprefix": "fourfold:",
        # Longer than the time limit, or a part would be run again without end.
        "visibility_timeout": 120,
        # By default the sweep that brings messages back runs only every 100 s.
        "unacked_restore_interval": 5,
        "unacked_restore_throttle": 1,
        "unacked_restore_limit": 1000,
        "socket_timeout": 30,
        "socket_connect_timeout": 5,
        "socket_keepalive": True,
        "health_check_interval": 10,
    },
}


class _OwnSettingsOnly(AppLoader):
    """A loader that reads no configuration module (`CELERY_CONFIG_MODULE` names another project's)."""

    def read_configuration(self, env: str = "") -> dict[str, Any]:
        return {}


class Fourfold(Celery):
    """The application of one broker: that of the given URL, whatever `CELERY_BROKER_URL` says."""

    def __init__(self, url: str) -> None:
        super().__init__("fourfold", loader=_OwnSettingsOnly, set_as_current=False, fixups=[])
        self._url = url
        self.is_private = is_private(url)
        self.ledger = Ledger(client(url))
        self.conf.update(SETTINGS)
        if url.startswith("rediss://"):
            # Without this kombu would speak TLS with whoever answers; what the URL says of `ssl_` comes first.
            self.conf.broker_use_ssl = {"ssl_cert_reqs": "required"}
        register(self, self.ledger, private=self.is_private)

    def _connection(self, url: str | None = None, **options: Any) -> Any:
        return super()._connection(address(self._url), **options)


def celery_app(url: str) -> Fourfold:
    """Make the application for the broker at `url`; nothing is connected yet."""
    return Fourfold(url)
