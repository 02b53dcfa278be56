import subprocess
import sys

import pytest
import redis
from celery.app.defaults import DEFAULTS
from kombu.connection import Connection
from kombu.transport.redis import Channel

from workers.service.app import SETTINGS, celery_app
from workers.service.transport import Transport

URL = "redis+socket:///nowhere/s?virtual_host=0"


def test_every_setting_is_one_that_celery_knows() -> None:
    assert set(SETTINGS) <= set(DEFAULTS)


def test_every_transport_option_is_one_that_kombu_knows() -> None:
    assert set(SETTINGS["broker_transport_options"]) <= set(Channel.from_transport_options)


def test_the_settings_hold() -> None:
    app = celery_app(URL)
    assert {name: app.conf[name] for name in SETTINGS} == SETTINGS
    assert app.conf.accept_content == ["json"]
    assert app.conf.result_backend is None


def test_a_message_is_hidden_for_longer_than_a_task_may_take() -> None:
    assert SETTINGS["broker_transport_options"]["visibility_timeout"] > SETTINGS["task_time_limit"]


def test_the_environment_of_other_celery_projects_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CELERY_BROKER_URL", "redis://elsewhere:1/0")
    monkeypatch.setenv("CELERY_BROKER_READ_URL", "redis://elsewhere:1/0")
    monkeypatch.setenv("CELERY_CONFIG_MODULE", "a_module_that_is_not_there")
    app = celery_app(URL)
    assert app.conf.task_routes is None
    for connection in (app.connection_for_read(), app.connection_for_write()):
        assert "/nowhere/s" in connection.as_uri()


@pytest.mark.parametrize(
    "module",
    [
        "workers.service.pool",
        "workers.service.steward",
        "workers.service.supervisor",
        "workers.broker.embedded",
        "workers.service.tasks",
    ],
)
def test_celery_is_imported_only_when_it_is_needed(module: str) -> None:
    heavy = ("celery", "redis", "pyarrow", "numba")
    script = f"import sys, {module}; print([name for name in {heavy} if name in sys.modules])"
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("url", ["redis://h:1/0", "rediss://u:p@h:1/0", "rediss://h/0?ssl_ca_certs=/x", URL])
def test_every_connection_goes_through_the_door(url: str) -> None:
    app = celery_app(url)
    for connection in (app.connection_for_read(), app.connection_for_write().clone(), app.pool.new()):
        assert connection.get_transport_cls() is Transport


@pytest.mark.parametrize(
    ("url", "ssl"),
    [
        ("redis://h", False),
        ("rediss://h", {"ssl_cert_reqs": "required"}),
        ("rediss://h/0?ssl_ca_certs=/x", {"ssl_ca_certs": "/x"}),
    ],
)
def test_tls_is_spoken_with_a_server_that_shows_who_it_is(url: str, ssl: object) -> None:
    app = celery_app(url)
    for connection in (app.connection_for_read(), app.pool.new()):
        assert connection.ssl == ssl
    parameters = _Unconnected(app.connection_for_read())._connparams()
    assert parameters.get("ssl_cert_reqs", "required") == "required"
    assert issubclass(parameters["connection_class"], redis.SSLConnection) == bool(ssl)


class _Unconnected(Channel):
    """A channel that has not asked the broker for a sign of life."""

    def __init__(self, client: Connection) -> None:
        self.connection = client.transport
