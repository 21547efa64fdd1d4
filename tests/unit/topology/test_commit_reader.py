"""A client that only reads: which commits others saw, and how it ends."""

import threading
import time
from types import SimpleNamespace

import pytest

from tests.unit.topology.failures import keys
from workers.errors import ServerError
from workers.topology import reader
from workers.topology.reader import CommitReader


class Server:
    """Answers in this order; the last one again and again, or it hangs until somebody hangs up."""

    def __init__(self, *answers, hangs=False):
        self.answers, self.hangs, self.done = list(answers), hangs, []
        self.hung_up = threading.Event()
        self._sock = SimpleNamespace(shutdown=lambda how: self.hung_up.set())

    def rows(self, connection, sql):
        assert sql == reader.NEWEST and connection is self
        if self.hangs and not self.answers:
            assert self.hung_up.wait(20)
            raise ServerError("2013: lost connection")
        answer = self.answers.pop(0) if len(self.answers) > 1 or self.hangs else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer

    def _force_close(self):
        self.done.append("closed")


@pytest.fixture
def reading(monkeypatch):
    def begin(*answers, **how):
        server = Server(*answers, **how)
        monkeypatch.setattr(reader, "connect", lambda target: server)
        monkeypatch.setattr(reader.ask, "rows", server.rows)
        return CommitReader("primary"), server

    return begin


def until(holds):
    deadline = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.001)


def threads():
    return [one for one in threading.enumerate() if one.name == "reader"]


def test_everything_before_the_newest_commit_was_seen_too(reading):
    one, _ = reading([(0, 2), (1, 1)])
    assert (one.saw_any, one.rounds) == (False, 0)
    one.begin()
    until(lambda: one.rounds)
    assert one.saw_any and all(thread.daemon for thread in threads())
    one.drain()
    sent = keys((0, 1), (0, 2), (0, 3), (1, 1), (1, 2), (2, 1))
    assert one.read(sent).tolist() == keys((0, 1), (0, 2), (1, 1)).tolist() and not threads()


def test_a_commit_that_was_seen_once_stays_seen(reading):
    """A primary that starts again may have lost it."""
    one, _ = reading([(0, 3)], [(0, 1)])
    one.begin()
    until(lambda: one.rounds > 2)
    one.close()
    assert one.read(keys((0, 3))).tolist() == keys((0, 3)).tolist()


def test_a_frozen_server_is_hung_up_on_and_its_last_answer_counts(reading):
    one, server = reading([(0, 2)], hangs=True)
    one.begin()
    until(lambda: one.rounds == 1)
    one.close()
    assert server.hung_up.is_set() and server.done == ["closed"] and not threads()
    assert one.rounds == 1 and one.read(keys((0, 2))).tolist() == keys((0, 2)).tolist()


def test_an_answer_that_is_on_its_way_is_waited_for_before_the_reader_hangs_up(reading, monkeypatch):
    monkeypatch.setattr(reader, "LAST_ANSWER_S", 20)
    one, server = reading([])
    asked = threading.Event()

    def late(connection, sql):
        asked.set()
        if server.hung_up.wait(0.05):
            raise ServerError("2013: lost connection")
        return [(0, 3)]

    monkeypatch.setattr(reader.ask, "rows", late)
    one.begin()
    assert asked.wait(20)
    one.drain()
    assert one.read(keys((0, 3))).tolist() == keys((0, 3)).tolist()


def test_a_server_that_is_gone_ends_the_reader(reading):
    one, server = reading([(0, 2)], ServerError("2013: lost connection"))
    one.begin()
    until(lambda: not threads())
    one.close()
    assert one.rounds == 1 and server.done == ["closed"]


def test_a_reader_that_never_began_can_be_closed(reading):
    one, server = reading([])
    one.close()
    assert server.done == ["closed"] and not one.saw_any
