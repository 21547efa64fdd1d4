"""A node takes over: when its rows are read, what the old primary may still say, and how long clients are waited
for."""

from contextlib import contextmanager
from dataclasses import fields, replace
from types import SimpleNamespace

import numpy as np
import pytest

from tests.unit.topology.failures import SECRET, keys
from tests.unit.topology.test_failover_story import returned
from workers.crash.compare_tables import Placed
from workers.crash.digest import digests
from workers.crash.evidence import Seen
from workers.errors import ServerError
from workers.topology import takeover
from workers.topology.chain import FailoverPorts, Struck
from workers.topology.setup_and_result import SemiSyncCounters
from workers.topology.takeover import AFTER_S, AWAKE_S, LIMIT_S, MORE_S, POLL_S

COUNTED = SemiSyncCounters(9, 1)


class Clock:
    def __init__(self):
        self.now = 20.0

    def sleep(self, seconds):
        self.now += seconds


class After:
    """Clients after the fault: the first answer comes after `first_s`, the last after `all_s`; None: never."""

    def __init__(self, clock, notes, first_s=0.0, all_s=0.0):
        self.clock, self.notes, self.began, self.first_s, self.all_s = clock, notes, clock.now, first_s, all_s

    def _is_after(self, seconds):
        return seconds is not None and self.clock.now >= self.began + seconds

    def ledger(self):
        return SimpleNamespace(acknowledged=lambda: keys((7, 1)) if self._is_after(self.first_s) else keys())

    def all_answered(self):
        return self._is_after(self.all_s)

    def left_out(self, seen):
        return replace(seen, whole=seen.whole[1:])

    def reach(self, targets):
        self.notes.append(f"clients reach {targets[0]}")

    def begin(self, began):
        pass

    def close(self):
        self.notes.append("clients end")


class Server:
    def __init__(self, name, notes, running=True):
        self.target, self.running, self._notes = name, running, notes

    def __getattr__(self, call):
        return lambda: self._notes.append(f"{self.target} {call}")


def rows(*pairs):
    """Rows of transactions of one row each."""
    found = keys(*pairs)
    return {("one", 0): Placed(found, digests(SECRET, found, np.zeros(len(found), dtype=np.int64)))}


@pytest.fixture
def taken(monkeypatch):
    """`taken(**how)`: what was promoted, and what was done in which order."""

    def take(fault="primary-kill", topology="async", first_s=0.0, all_s=0.0, running=True, held=None, **how):
        notes, clock = [], Clock()
        held = {"replica 1": rows((0, 10), (0, 20)), "primary": rows((0, 10))} if held is None else held

        @contextmanager
        def connect(target, **_):
            if isinstance(held[target], Exception):
                raise held[target]
            yield target

        def read_rows(connection, schema):
            notes.append(f"{connection} is read")
            return held[connection]

        monkeypatch.setattr(takeover, "connect", connect)
        monkeypatch.setattr(takeover.compare_tables, "read_rows", read_rows)
        monkeypatch.setattr(takeover.ask, "rows", lambda connection, sql: notes.append(f"{connection}: {sql}"))
        monkeypatch.setattr(takeover, "counters", lambda topology, target: COUNTED)
        monkeypatch.setattr(takeover, "kept_versions", lambda target, first: {0: 7})
        known = returned(fault, topology, after=After(clock, notes, first_s, all_s))
        primary, replica = (
            SimpleNamespace(name=name, sandbox=Server(name, notes, running)) for name in ("primary", "replica 1")
        )
        changes = {
            "primary": primary, "replicas": (replica,),
            "ports": FailoverPorts(clock=lambda: clock.now, sleep=clock.sleep),
            "timeline": SimpleNamespace(must_go_on=how.pop("must_go_on", lambda: None), step=notes.append, steps=tuple),
            "witness": SimpleNamespace(began=10.0, drain=lambda *_: notes.append("drain")),
            "reader": SimpleNamespace(drain=lambda: notes.append("drain the reader")),
            "struck_at": 19.0, "strike_s": 0.0,
            **{name: how.pop(name) for name in ("versions", "setup") if name in how},
        }  # fmt: skip
        struck = Struck(**{one.name: getattr(known, one.name) for one in fields(Struck)} | changes)
        new = primary if how.pop("in_place", False) else replica
        return takeover.take_over(struck, new, began=how.pop("began", 19.5), **how), notes, clock.now - 20.0

    return take


def test_the_rows_are_read_after_clients_reach_the_node_and_before_the_old_primary_falls_silent(taken):
    promoted, notes, _ = taken()
    assert notes == [
        "clients reach replica 1", "replica 1 is read", "clients end", "primary freeze", "drain", "drain the reader",
        "primary kill",
    ]  # fmt: skip
    assert promoted.kept.whole.tolist() == keys((0, 20)).tolist(), "without transactions of the clients afterwards"
    assert (promoted.promoted_at, promoted.semi_sync, promoted.kept_versions) == (20.0, COUNTED, None)
    assert (promoted.noticed_from, promoted.detection_s) == (19.5, None)
    assert (promoted.alone, promoted.positions, promoted.problems, promoted.expelled) == ({}, {}, (), None)


def test_known_moments_and_pieces_are_kept(taken):
    alone, positions = {"node 2": Seen(keys((0, 1)))}, {"node 2": "0-1-7"}
    known = {"recovery_s": 0.5, "applying_s": 0.25, "alone": alone, "positions": positions, "expelled": True}
    promoted, notes, _ = taken(detection_s=0.25, promoted_at=19.75, problems=("late",), first="SET x = 1", **known)
    assert (promoted.noticed_from, promoted.detection_s, promoted.promoted_at) == (19.25, 0.25, 19.75)
    assert {name: getattr(promoted, name) for name in known} == known and promoted.problems == ("late",)
    assert notes[1:3] == ["replica 1: SET x = 1", "replica 1 is read"]


def test_rows_that_cannot_be_read_are_unknown(taken):
    promoted, *_ = taken(held={"replica 1": ServerError("2013: it hung up")}, problems=("earlier",))
    assert promoted.kept is None
    assert promoted.problems == ("earlier", "the rows of replica 1 could not be read: 2013: it hung up")


@pytest.mark.parametrize(
    ("how", "ends"),
    [
        ({"running": False}, ["clients end"]),  # it is down already
        ({"old_stays": True}, ["clients end", "drain", "drain the reader"]),  # it is heard and not ended
        ({"in_place": True}, ["clients end"]),  # it is the new one too
    ],
)
def test_only_an_old_primary_that_runs_and_is_not_kept_is_ended(taken, how, ends):
    assert taken(**how)[1][2:] == ends


@pytest.mark.parametrize(
    ("first_s", "all_s", "took_s"),
    [(0.0, 0.0, 0.0), (0.5, 0.75, 0.75), (0.5, None, 0.5 + MORE_S), (None, None, LIMIT_S)],
)
def test_clients_are_waited_for_until_each_has_an_answer_and_a_little_longer(taken, first_s, all_s, took_s):
    assert taken(first_s=first_s, all_s=all_s)[2] == pytest.approx(took_s + AFTER_S, abs=2 * POLL_S)


def test_a_cancelled_trial_does_not_wait_for_clients(taken):
    def cancelled():
        raise InterruptedError

    with pytest.raises(InterruptedError):
        taken(first_s=None, all_s=None, must_go_on=cancelled)


@pytest.mark.parametrize(
    ("topology", "more_s"),
    [("async", AWAKE_S), ("semi-sync+timeout=2s", AWAKE_S + 2.0), ("semi-sync+timeout=60s", AWAKE_S + 15.0)],
)
def test_a_paused_primary_is_watched_after_its_pause(taken, topology, more_s):
    """It was paused from 19.0 on, and the takeover begins at 20.0."""
    setup = replace(returned("primary-pause", topology).setup, pause_s=3.0)
    promoted, _, took_s = taken("primary-pause", topology, setup=setup)
    assert took_s == pytest.approx(2.0 + more_s, abs=3 * POLL_S)
    assert promoted.semi_sync == COUNTED and takeover._awake_s(promoted) == more_s
    assert taken("primary-pause", topology, setup=setup, running=False)[2] == pytest.approx(AFTER_S, abs=POLL_S)


@pytest.mark.parametrize(("pause_s", "counted"), [(30.0, None), (1.5, None), (0.5, COUNTED)])
def test_a_primary_that_is_still_frozen_has_counted_nothing_more(taken, pause_s, counted, monkeypatch):
    setup = replace(returned("primary-pause").setup, pause_s=pause_s)
    monkeypatch.setattr(Struck, "outlast_pause", lambda struck, more_s: None)
    assert taken("primary-pause", setup=setup)[0].semi_sync is counted


def test_updated_rows_are_read_after_their_clients_have_ended(taken):
    closed = []
    promoted, *_ = taken(versions=SimpleNamespace(close=lambda: closed.append(True), end=lambda: None))
    assert closed == [True] and promoted.kept_versions == {0: 7}


def test_a_node_that_follows_is_compared_row_by_row(taken):
    _, notes, _ = taken(held=(held := {"replica 1": rows((0, 10), (0, 20)), "primary": rows((0, 10), (0, 30))}))
    new, node = (SimpleNamespace(name=name, sandbox=SimpleNamespace(target=name)) for name in held)
    notes.clear()
    found = takeover.compared(new, node, SECRET, "SET x = 1")
    assert notes == ["replica 1: SET x = 1", "primary: SET x = 1", "replica 1 is read", "primary is read"]
    assert (found.state, found.different_rows, found.error) == ("caught up", 2, "")
    assert (found.only_source, found.only_follower) == (((0, 20),), ((0, 30),))
    assert found.seen.whole.tolist() == keys((0, 10), (0, 30)).tolist()
    notes.clear()
    assert takeover.compared(new, node, SECRET).different_rows == 2 and len(notes) == 2


def test_of_a_node_that_refuses_the_rows_are_read_all_the_same(taken):
    _, notes, _ = taken(held=(held := {"replica 1": rows((0, 10)), "primary": ServerError("2013: it hung up")}))
    there, gone = (SimpleNamespace(name=name, sandbox=SimpleNamespace(target=name)) for name in held)
    notes.clear()
    found = takeover.refused(there, "stopped", "1236: diverged", SECRET)
    assert notes == ["replica 1 is read"]
    assert (found.state, found.error, found.different_rows) == ("stopped", "1236: diverged", None)
    assert found.seen.whole.tolist() == keys((0, 10)).tolist()
    assert takeover.refused(gone, "unknown", "late", SECRET).seen is None
