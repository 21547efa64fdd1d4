"""A server whose commits wait 20 ms for others that do not come: a load that goes on for long leaves the processors to
other tests."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from workers.sandbox.server import Sandbox
from workers.servers import ask
from workers.servers.connection import connect
from workers.servers.limited import Connection

WAITS = {"binlog_commit_wait_count": "100", "binlog_commit_wait_usec": "20000"}
SLOW = {"log_bin": "ON", **WAITS}


@contextmanager
def slowed(server: Sandbox) -> Iterator[Sandbox]:
    """A server that runs is SLOW meanwhile."""
    with connect(server.target) as link:
        before = {name: ask.value(link, f"SELECT @@GLOBAL.{name}") for name in WAITS}
        _set(link, WAITS)
        try:
            yield server
        finally:
            _set(link, before)


def _set(link: Connection, values: Mapping[str, object]) -> None:
    for name, value in values.items():
        ask.rows(link, f"SET GLOBAL {name} = {value}")
