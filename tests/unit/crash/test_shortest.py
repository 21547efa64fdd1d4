"""The shortest load at which the checks of a violation fail: the order of the loads, and how checks are compared. The
recordings are made up."""

import time
from dataclasses import dataclass, field, replace
from types import SimpleNamespace

import pytest

from tests.unit.crash.recorded_states import LOST, TORN, state
from workers.crash.points import shortest
from workers.crash.points.shortest import (
    LAST_POINT_S,
    SIZES,
    Again,
    Search,
    showing,
    sizes_of,
    statements_of,
    wanted_for,
)
from workers.crash.points.story import KeptPoint
from workers.crash.points.violations import MOST_KEPT, Violation
from workers.crash.setup_and_result import Timeline
from workers.errors import Cancelled, SandboxError
from workers.sandbox.disk.recording.states import CrashPoint, Torn

ENGINE, BINLOG = frozenset({"lost-engine"}), frozenset({"lost-binlog"})
BOTH = ENGINE | BINLOG


@dataclass(frozen=True)
class Setup:
    clients: int = 16
    commits: int = 0
    load_s: float = 2.0
    points: int = 200
    looked_for: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Load:
    """Of a recorded load, as much as is asked."""

    timeline: Timeline = field(default_factory=lambda: Timeline(lambda step: None, lambda: False))
    setup: Setup = field(default_factory=Setup)
    settings: dict[str, str] = field(default_factory=dict)
    look: object = field(default_factory=lambda: SimpleNamespace(own=None))
    secret: bytes = b"secret"
    kind: object = None
    ports: object = field(default_factory=lambda: SimpleNamespace(clock=lambda: 0.0))


def violation(checks, keeps="durable"):
    return Violation(state(0.1, LOST, keeps=keeps), "its content", frozenset(checks))


@pytest.fixture(autouse=True)
def archives(monkeypatch):
    """Those that are kept: their number and their checks."""
    made = []

    def keep(load, states, violations, first):
        made.extend((number, set(one.failed)) for number, one in enumerate(violations, first))
        kept = KeptPoint(number=first, moment=1, at_s=0.1, keeps="durable", checks=(), n_bytes=9)
        return ([kept], {first: b"an archive"}) if violations else ([], {})

    monkeypatch.setattr(shortest, "keep", keep)
    return made


def searched(fails, *violations, load=None, limit_s=60.0):
    """`fails`: size of a load -> the failed checks of its violations. What was found, the sizes, and the search."""
    sizes, began = [], time.monotonic()

    def record(begun, wanted, until):
        assert until - time.monotonic() <= limit_s - LAST_POINT_S <= until - began, "a crash point would be cut off"
        sizes.append((begun.setup.clients, begun.setup.commits))
        failed = fails(sizes[-1])
        return Again(replace(load, setup=begun.setup), None, list(map(violation, failed)), 5, 7)

    search = Search(load := load or Load(), record, 3)
    found = search.all(violations, limit_s)
    return (
        [(set(one.checks), one.clients, one.commits, one.failed, one.tried, one.loads) for one in found],
        sizes,
        search,
    )


def test_sizes_ascend():
    commits = [clients * each for clients, each in SIZES]
    assert commits == sorted(commits) and len(set(SIZES)) == len(SIZES)
    assert SIZES[:4] == ((1, 1), (1, 2), (2, 1), (2, 2))


def test_no_load_has_more_clients_than_that_of_the_trial():
    assert sizes_of(1) == [(1, 1), (1, 2)] and sizes_of(16) == list(SIZES)


def test_the_smallest_load_that_fails_ends_the_search(archives):
    told = []
    load = Load(Timeline(told.append, lambda: False))
    found, sizes, search = searched(
        lambda size: [ENGINE, ENGINE] if size == (2, 1) else [], violation(ENGINE), load=load
    )
    assert (
        told[0] == "shortest load" and found == [({"lost-engine"}, 2, 1, 2, 5, 3)] and sizes == [(1, 1), (1, 2), (2, 1)]
    )
    assert archives == [(3, {"lost-engine"})] and search.archives == {3: b"an archive"}
    assert [(one.number, one.clients, one.commits) for one in search.kept] == [(3, 2, 1)]
    *_, shown = search._tried
    assert shown.statements == statements_of(Load(setup=Setup(2, 1))) and len(shown.statements) > 0
    assert (shown.keeps, shown.acknowledged) == ("durable", 10)


def test_each_check_has_its_own_shortest_load(archives):
    fails = {(1, 1): [ENGINE], (1, 2): [ENGINE], (2, 1): [BINLOG | ENGINE]}
    found, sizes, search = searched(lambda size: fails.get(size, []), violation(BOTH), violation(ENGINE))
    assert [(one[0], one[1:3]) for one in found] == [({"lost-engine"}, (1, 1)), ({"lost-binlog"}, (2, 1))]
    assert len(sizes) == 3 and [number for number, _ in archives] == [3, 4] == list(search.archives)


def test_checks_that_fail_at_no_load_are_told(archives):
    found, sizes, _ = searched(lambda size: [{"torn"}, ENGINE], violation(BOTH))
    assert found == [({"lost-engine"}, 1, 1, 1, 5, 1), ({"lost-binlog"}, *SIZES[-1], 0, 5 * len(SIZES), len(SIZES))]
    assert sizes == list(SIZES) and len(archives) == 1


def test_checks_that_failed_nowhere_are_told_with_the_last_load_that_was_recorded():
    def fails(size):
        if size > (2, 1):
            raise SandboxError("it does not start")
        return []

    assert searched(fails, violation(ENGINE))[0] == [({"lost-engine"}, 2, 1, 0, 15, 3)]


def test_few_loads_have_an_archive(archives):
    checks = [frozenset([f"check {n}"]) for n in range(len(SIZES))]
    found, _, search = searched(lambda size: [checks[SIZES.index(size)]], violation(frozenset.union(*checks)))
    assert len(found) == len(SIZES) > MOST_KEPT and len(search.kept) == len(archives) == MOST_KEPT


def test_another_check_that_fails_shows_nothing(archives):
    (only,), _, search = searched(lambda size: [{"torn"}], violation(ENGINE))
    assert only[3] == 0 and archives == search.kept == []


def test_crash_points_at_which_most_of_the_checks_fail_come_first():
    every = [violation(one) for one in (ENGINE, BOTH | {"torn"}, BOTH, {"torn"})]
    assert [one.failed for one in showing(BOTH, every)] == [BOTH, BOTH | {"torn"}, ENGINE]
    assert showing(frozenset({"order"}), every) == []


@pytest.mark.parametrize(("keeps", "torn"), [("durable", False), ("torn", True), ("data torn, logs written", True)])
def test_torn_crash_points_are_tried_where_a_violation_is_torn(keeps, torn):
    wanted = wanted_for([violation(ENGINE), violation(ENGINE, keeps)])
    points = [(CrashPoint(1),), (CrashPoint(1, "written"), CrashPoint(1, Torn()))]
    assert [wanted(SimpleNamespace(state=SimpleNamespace(points=one))) for one in points] == [True, torn]


def test_no_load_is_recorded_without_a_violation_or_without_time():
    told = []
    load = Load(Timeline(told.append, lambda: False))
    assert searched(lambda size: pytest.fail("it was recorded"), load=load)[:2] == ([], []) and told == []
    found, sizes, _ = searched(lambda size: pytest.fail("it was recorded"), violation(ENGINE), limit_s=9.0)
    assert (found, sizes) == ([({"lost-engine"}, 0, 0, 0, 0, 0)], [])


def test_a_check_is_not_looked_for_twice():
    """An earlier trial of the variant did."""
    load = Load(setup=Setup(looked_for=ENGINE))
    assert searched(lambda size: pytest.fail("it was recorded"), violation(ENGINE), load=load)[:2] == ([], [])
    assert searched(lambda size: [BOTH], violation(BOTH), load=load)[0] == [({"lost-binlog"}, 1, 1, 1, 5, 1)]


@pytest.mark.parametrize(
    ("broken", "level"), [(SandboxError("it does not start"), "INFO"), (KeyError("torn"), "ERROR")]
)
def test_a_load_that_cannot_be_recorded_is_left_out_and_a_fault_of_the_program_is_logged_as_one(caplog, broken, level):
    caplog.set_level("INFO", shortest.__name__)

    def fails(size):
        if size == (1, 1):
            raise broken
        return [ENGINE]

    assert searched(fails, violation(ENGINE))[0] == [({"lost-engine"}, 1, 2, 1, 5, 1)]
    assert [one.levelname for one in caplog.records] == [level]


def test_a_cancellation_is_not_taken_for_a_load_that_cannot_be_recorded():
    asked = []
    load = Load(Timeline(lambda step: None, lambda: bool(asked)))

    def fails(size):
        asked.append(size)
        raise OSError("its server was killed")

    with pytest.raises(Cancelled):
        searched(fails, violation(ENGINE), load=load)
    assert asked == [(1, 1)]


def test_a_load_that_hangs_is_ended_in_time(monkeypatch):
    """Its servers are killed; here the kill ends a wait."""
    monkeypatch.setattr(shortest, "LAST_LOAD_S", 0.0)
    ended = []

    def record(begun, wanted, until):
        begun.made.killed_by(lambda: ended.append(time.monotonic()))
        while not ended:
            time.sleep(0.01)
        raise OSError("its server was killed")

    (only,) = Search(Load(), record, 1).all([violation(ENGINE)], limit_s=0.1)
    assert (only.failed, only.loads) == (0, 0) and len(ended) == 1


def test_the_statements_are_those_of_the_first_client_and_none_of_an_own_transaction():
    load = Load(setup=Setup(clients=2, commits=2))
    assert [one.split("(")[0] for one in statements_of(load)] == [
        "BEGIN", "INSERT INTO one VALUES ", "COMMIT", "INSERT INTO one VALUES "
    ]  # fmt: skip
    assert statements_of(load)[1].startswith("INSERT INTO one VALUES (0,1,")
    assert statements_of(replace(load, look=SimpleNamespace(own="an own load"))) == ()


def test_only_checks_that_failed_in_the_trial_are_sought():
    (first,), *_ = searched(lambda size: [{TORN.key, *ENGINE}], violation(ENGINE))
    assert first[0] == {"lost-engine"}
