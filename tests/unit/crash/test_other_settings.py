"""Settings that decide a violation: which ones are tried, and how their outcome is counted. The recoveries are made
up."""

from dataclasses import dataclass, field, replace
from types import SimpleNamespace

import pytest

from tests.unit.crash.recorded_states import LOST, TORN, UNCLEAR, state
from workers.crash.points import other_settings
from workers.crash.points.other_settings import REPLICA, Suspect, tried_otherwise
from workers.crash.points.violations import Violation
from workers.crash.setup_and_result import Timeline
from workers.crash.verdict import CheckResult
from workers.errors import Cancelled, SandboxError

AT_1_0 = {"innodb_flush_log_at_trx_commit": "1", "sync_binlog": "0", "innodb_doublewrite": "ON"}
VIOLATION = Violation(state(0.1, LOST), "its content", frozenset({"lost-engine"}))


@dataclass(frozen=True)
class Setup:
    settings: dict[str, str]
    replica_settings: dict[str, str] = field(default_factory=dict)
    points: int = 200
    looked_for: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Load:
    """Of a recorded load, as much as is asked."""

    variables: dict[str, str]
    timeline: Timeline
    has_binlog: bool = True
    settings: dict[str, str] = field(default_factory=dict)
    setup: Setup = field(default_factory=lambda: Setup({}))
    kind: object = None
    is_killed: bool = False
    replica: object = None
    ports: object = field(default_factory=lambda: SimpleNamespace(clock=lambda: 0.0))


def told(variables, tried, *violations, again=(), cancelled=lambda: False, monkeypatch=None, **more):
    if monkeypatch:
        answers = iter(again)

        def attempt(lane, choice):
            if isinstance(answer := next(answers), Exception):
                raise answer
            return answer

        monkeypatch.setattr(other_settings, "StateJudge", lambda load: SimpleNamespace(attempt=attempt))
    load = Load(variables, Timeline([].append, cancelled), **more)
    found = tried_otherwise(load, None, violations, tried)
    return [(one.name, one.ran, one.other, one.same, one.tried, one.failed, one.unclear) for one in found]


def test_no_other_setting_is_tried_without_a_violation():
    load = Load(AT_1_0, Timeline((steps := []).append, lambda: False))
    assert tried_otherwise(load, None, (), lambda begun: pytest.fail("a load was recorded")) == () and steps == []


def test_a_setting_of_the_replica_alone_is_told_as_such():
    on_both = Suspect("sync_binlog", "0", "1")
    assert (on_both.title, replace(on_both, server=REPLICA).title) == ("sync_binlog=1", "sync_binlog=1 on the replica")


def test_another_load_has_the_safer_value_and_few_points():
    asked = []

    def tried(begun):
        asked.append((begun.settings, begun.setup.settings, begun.setup.points))
        return [state(0.1), state(0.2, TORN), state(0.3, UNCLEAR)]

    assert told(AT_1_0, tried, VIOLATION) == [("sync_binlog", "0", "1", False, 3, 0, 0)]
    assert asked == [({"sync_binlog": "1"}, {"sync_binlog": "1"}, 20)]


@pytest.mark.parametrize(("known", "loads"), [({"lost-engine"}, 0), ({"stays-down"}, 1)])
def test_no_load_is_made_again_for_checks_of_which_another_trial_told_it(known, loads):
    setup = Setup({}, looked_for=frozenset(known))
    assert len(told(AT_1_0, lambda begun: [state(0.1)], VIOLATION, setup=setup)) == loads


@pytest.mark.parametrize(("method", "key", "tried"), [("O_DIRECT", "stays-down", True), ("fsync", "stays-down", False),
                                                      ("O_DIRECT", "lost-engine", False)])  # fmt: skip
def test_the_flush_method_of_pages_is_tried_where_a_page_may_be_torn(method, key, tried):
    torn = Violation(state(0.1, LOST), "its content", frozenset({key}))
    names = [name for name, *_ in told({"innodb_flush_method": method}, lambda begun: [state(0.1)], torn)]
    assert names == (["innodb_flush_method"] if tried else [])


def test_a_setting_with_two_names_is_tried_once(monkeypatch):
    both = dict.fromkeys(("source_verify_checksum", "master_verify_checksum"), "OFF")
    for variables, name in (
        (both, "source_verify_checksum"),
        ({"master_verify_checksum": "OFF"}, "master_verify_checksum"),
    ):
        found = told(variables, None, VIOLATION, again=[state(0.1)], monkeypatch=monkeypatch, settings={})
        assert [one[0] for one in found] == [name]


def test_settings_of_the_recovery_are_not_tried_after_a_kill():
    variables = {"source_verify_checksum": "OFF", "sync_binlog": "0"}
    found = told(variables, lambda begun: [state(0.1)], VIOLATION, is_killed=True)
    assert [one[0] for one in found] == ["sync_binlog"]


NOT_READ = replace(LOST, outcome="unknown", says="Unclear: engine could not be read.")
DOWN = CheckResult("stays-down", "invalid", 1, "The server does not recover without help.")


@pytest.mark.parametrize(
    ("states", "counts"),
    [
        ([state(0.1, LOST), state(0.2)], (2, 1, 0)),
        ([state(0.1, NOT_READ), state(0.2)], (2, 0, 1)),
        ([state(0.1, LOST, NOT_READ), state(0.2, UNCLEAR)], (2, 1, 0)),
        ([state(0.1, DOWN, NOT_READ)], (1, 0, 1)),
    ],
    ids=["fails", "is unclear", "fails and is unclear", "server stays down"],
)
def test_checks_that_fail_again_and_those_that_are_unclear_are_counted_apart(states, counts):
    assert told(AT_1_0, lambda begun: states, VIOLATION)[0][-3:] == counts


def test_the_checks_that_did_not_pass_are_kept_with_their_crash_points():
    said = []
    load = Load(AT_1_0, Timeline(said.append, lambda: False))
    states = [state(0.1), state(0.2, NOT_READ, TORN), state(0.3, UNCLEAR)]
    (found,) = tried_otherwise(load, None, [VIOLATION], lambda begun: begun.timeline.step("load") or states)
    assert said == ["other settings", "sync_binlog=1: load"]
    assert [(one.moment, one.failed, one.unclear, one.says) for one in found.points] == [
        (200, ("binlog-unreadable",), ("lost-engine",), TORN.says),
        (300, (), ("tables-damaged",), UNCLEAR.says),
    ]


def test_without_a_binary_log_its_flushes_are_not_tried():
    assert told(AT_1_0, lambda begun: [], VIOLATION, has_binlog=False) == []


def test_a_load_that_cannot_be_recorded_is_left_out():
    def broken(begun):
        raise SandboxError("it does not start")

    assert told(AT_1_0, broken, VIOLATION) == []


def test_a_state_that_cannot_be_made_is_left_out_of_a_setting(monkeypatch):
    broken = SandboxError("The disk is full.")
    again = [broken, state(0.1, LOST), broken, broken]
    variables = {"source_verify_checksum": "OFF", "rocksdb_wal_recovery_mode": "1", "sync_binlog": "1"}
    found = told(variables, None, VIOLATION, VIOLATION, again=again, monkeypatch=monkeypatch)
    assert found == [("source_verify_checksum", "OFF", "ON", True, 1, 1, 0)], "without any state no setting is told"


def test_a_cancellation_is_not_taken_for_a_broken_load():
    def cancelled(begun):
        raise Cancelled("a person said so")

    with pytest.raises(Cancelled):
        told(AT_1_0, cancelled, VIOLATION)


def test_a_server_that_was_killed_by_a_cancellation_says_nothing_of_a_setting(monkeypatch):
    killed = []

    def again():
        killed.append(True)
        yield state(0.1, LOST)

    with pytest.raises(Cancelled):
        told({"source_verify_checksum": "OFF"}, lambda begun: [], VIOLATION, again=again(),
             cancelled=lambda: bool(killed), monkeypatch=monkeypatch)  # fmt: skip


@pytest.mark.parametrize(
    ("name", "value", "tried"),
    [
        ("source_verify_checksum", "1", False),
        ("source_verify_checksum", "on", False),
        ("source_verify_checksum", "0", True),
        ("rocksdb_wal_recovery_mode", "2", False),
        ("rocksdb_wal_recovery_mode", "1", True),
        ("innodb_flush_log_at_trx_commit", "2", True),
    ],
)
def test_a_value_that_is_as_safe_is_not_tried_however_it_is_spelled(monkeypatch, name, value, tried):
    found = told({name: value}, lambda begun: [], VIOLATION, again=[state(0.1)], monkeypatch=monkeypatch)
    assert [one[0] for one in found] == [name] * tried


@pytest.mark.parametrize(
    ("again", "counts"), [([state(0.1)], (0, 0)), ([state(0.1, LOST)], (1, 0)), ([state(0.1, NOT_READ)], (0, 1))]
)
def test_a_setting_of_the_recovery_is_tried_on_the_same_content(monkeypatch, again, counts):
    variables = {"source_verify_checksum": "OFF", "sync_binlog": "1"}
    found = told(variables, lambda begun: [], VIOLATION, again=again, monkeypatch=monkeypatch)
    assert found == [("source_verify_checksum", "OFF", "ON", True, 1, *counts)]


@dataclass(frozen=True)
class Follower:
    settings: dict[str, str]


def test_settings_that_only_the_replica_has_are_tried_there():
    """The primary is at 1/1."""
    asked = []

    def tried(begun):
        asked.append((begun.settings, begun.setup.settings, begun.setup.replica_settings))
        return [state(0.1)]

    own = {"innodb_flush_log_at_trx_commit": "2", "sync_binlog": "1"}
    setup, follower = Setup({"sync_binlog": "1"}, own), Follower({"relay_log_recovery": "ON"})
    load = Load({"sync_binlog": "1"}, Timeline([].append, lambda: False), setup=setup, replica=follower)
    (found,) = tried_otherwise(load, None, [VIOLATION], tried)
    assert (found.name, found.ran, found.other, found.server) == ("innodb_flush_log_at_trx_commit", "2", "1", "replica")
    assert asked == [({}, {"sync_binlog": "1"}, {**own, "innodb_flush_log_at_trx_commit": "1"})]
    alone = Load({"sync_binlog": "1"}, Timeline([].append, lambda: False), setup=setup)
    assert tried_otherwise(alone, None, [VIOLATION], tried) == (), "no replica was recorded"


def test_a_replica_recovers_the_same_content_without_its_relay_log(monkeypatch):
    loads = []

    def judge(load):
        loads.append((load.settings, load.replica.settings))
        return SimpleNamespace(attempt=lambda lane, choice: state(0.1))

    monkeypatch.setattr(other_settings, "StateJudge", judge)
    load = Load({}, Timeline([].append, lambda: False), replica=Follower({"server_id": "2"}))
    (found,) = tried_otherwise(load, None, [VIOLATION], lambda begun: [])
    assert (found.name, found.ran, found.other, found.server, found.same) == (
        "relay_log_recovery", "OFF", "ON", "replica", True,
    )  # fmt: skip
    assert loads == [({}, {"server_id": "2", "relay_log_recovery": "ON"})]
