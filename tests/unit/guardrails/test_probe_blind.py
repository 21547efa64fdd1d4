"""A probe that cannot write says so: its replicas then have all of its heartbeats, however far they are behind."""

import socket
import threading

import pytest

from workers.errors import ServerError
from workers.guardrails.limit import Level, Limit
from workers.guardrails.probe import CommitProbe
from workers.guardrails.watch import BLIND_S, Watch
from workers.servers.target import Target


class Lag:
    """As a replica that has applied every heartbeat."""

    limit = Limit("replica_1_lag_s", "replica lag of r", "s", 5.0)

    def __init__(self, probe: CommitProbe) -> None:
        self._probe = probe

    def read(self) -> Level:
        return Level(self._probe.lag_s(0))

    def close(self) -> None:
        pass


@pytest.fixture
def unheard():
    """A probe whose server accepts no connection any more."""
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    probe = CommitProbe(Target("p", "attached", "u", "", host="127.0.0.1", port=port), "durascope_x")
    assert probe.lag_s(0) == 0.0
    probe._thread.start()
    while True:
        try:
            probe.p99_ms()
        except ServerError:
            break
        threading.Event().wait(0.01)
    yield probe
    probe.stop()


def test_the_lag_is_unknown_while_no_heartbeat_can_be_written(unheard):
    with pytest.raises(ServerError, match="Nothing listens"):
        unheard.lag_s(0)


def test_the_load_stops_when_only_the_lag_is_watched(unheard):
    now = [0.0]
    watch = Watch([Lag(unheard)], clock=lambda: now[0])
    watch.sample()
    assert watch.trip is None
    now[0] = BLIND_S + 1
    watch.sample()
    assert watch.trip is not None and "127.0.0.1" in watch.trip.level.unknown
