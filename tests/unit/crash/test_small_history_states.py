"""States of a small history: which of them are tried, and why one of them recovers wrong."""

from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from types import SimpleNamespace

import pytest

from tests.unit.sandbox.recordings import Written
from workers.crash.chain import LOG_LINES
from workers.crash.points import exhaust
from workers.crash.points.histories import AtOnce, History
from workers.crash.points.judge_history import ContentPorts, HistoryJudgement, judge_history
from workers.crash.points.play import Answered, Played, PlayedAtOnce
from workers.crash.points.recorded import NS
from workers.crash.points.server_content import ServerContent
from workers.crash.points.smallest import is_wrong_under
from workers.crash.setup_and_result import Timeline
from workers.errors import SandboxError, ServerEnded, ServerError
from workers.sandbox.disk.recording.events import RecordingEnd
from workers.sandbox.disk.recording.joint import JointStates
from workers.sandbox.disk.recording.states import CrashPoint, Only, States
from workers.sandbox.server import Recovery


@dataclass(frozen=True)
class Request:
    """Of a trial, as much as a history needs."""

    settings: dict[str, str]
    timeline: Timeline
    setup: object = field(default_factory=lambda: SimpleNamespace(seed=7))


ONE = ServerContent((("t", "CREATE", ("1",)),), (), 1)
TWO = ServerContent((("t", "CREATE", ("1", "2")),), (), 2)
ALLOWED = (Answered("", 1, ONE), Answered("INSERT 2", 2, TWO))


@pytest.fixture
def recording(tmp_path):
    written = Written(tmp_path)
    written.write(0, b"a")
    written.write(1, b"b")
    written.flush()
    written.write(0, b"a")  # the same content again
    written.flush()
    return written.load()


def test_each_content_is_tried_once_in_time(recording):
    states = exhaust.each_state(States(recording), 7)
    points = [CrashPoint(0), CrashPoint(1, "written"), CrashPoint(4), CrashPoint(3, Only(frozenset([1])))]
    assert [state.point for state in states] == points
    assert [state.since_ns for state in states] == sorted(state.since_ns for state in states)


def test_every_subset_of_as_many_unflushed_writes_as_are_tried_in_full_is_a_state(tmp_path):
    written = Written(tmp_path)
    for block in range(exhaust.MOST_UNFLUSHED):
        written.write(block, bytes([65 + block]))
    written.flush()
    assert len(exhaust.each_state(States(written.load()), 7)) == 2**exhaust.MOST_UNFLUSHED


def test_of_many_unflushed_writes_some_subsets_are_drawn_with_the_seed(tmp_path):
    written = Written(tmp_path, blocks=20)
    for block in range(20):
        written.write(block, b"x")
    states = States(written.load())
    drawn = [{one.digest for one in exhaust.each_state(states, seed)} for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert exhaust.MOST_SUBSETS < len(drawn[0]) < 2 * exhaust.MOST_SUBSETS, "with the prefixes"
    assert [len(writes) for _, writes in exhaust.between_flushes(states)] == [20]


BEFORE = ServerContent((("a", "A", ()), ("b", "B", ())), (), 3)
AFTER = ServerContent((("a", "A", ("1",)), ("b", "B", ("2",))), (), 5)
AT_ONCE = PlayedAtOnce(((AtOnce(0, "INSERT a", "a", "of A"), 100), (AtOnce(1, "INSERT b", "b", "of B"), 200)), AFTER)


@pytest.mark.parametrize(("until_ns", "rows"), [(50, [(0, 0), (1, 0), (0, 1), (1, 1)]), (150, [(1, 0), (1, 1)]),
                                                (250, [(1, 1)])])  # fmt: skip
def test_of_statements_that_were_sent_at_once_those_without_an_answer_may_be_there_or_not(until_ns, rows):
    allowed = list(AT_ONCE.allowed(BEFORE, until_ns))
    assert [tuple(len(rows) for _, _, rows in one.content.tables) for one in allowed] == rows
    assert [one.content.logged for one in allowed] == [3 + sum(one) for one in rows]


def test_statements_at_once_begin_when_all_others_are_answered(recording):
    marks = (Answered("", 1, BEFORE), Answered("BEGIN", 40, BEFORE))
    played = Played(History("two", ()), recording, marks, AT_ONCE)
    early, late = SimpleNamespace(until_ns=40), SimpleNamespace(until_ns=150)
    assert [one.statement for one in played.allowed(early)] == ["", "BEGIN"]
    assert [one.statement for one in played.allowed(late)] == ["INSERT a", "INSERT a and INSERT b"]
    assert (played.answered(early), played.answered(late)) == (0, 2)


def test_a_binary_log_with_another_transaction_than_the_engine_is_wrong():
    said = complaint(
        ONE,
        [replace(ALLOWED[0], statement="INSERT a", wrote=("of A",))],
        holds=lambda datadir, texts: "of A" not in texts,
    )
    assert said == "The binary log holds another transaction than the engine, which has INSERT a."


PORTS = exhaust.HistoryPorts(
    recover=lambda server, settings: Recovery(0.25, ()),
    connect=lambda target: nullcontext(),
    holds=lambda datadir, texts: True,
)


def complaint(found, allowed=ALLOWED, holds=lambda datadir, texts: True):
    """`found`: the content of the server after the recovery, or the error that it gives."""

    def read(connection, server):
        if isinstance(found, Exception):
            raise found
        return found

    ports = ContentPorts(connect=lambda target: nullcontext(), content=read, holds=holds)
    judged = judge_history(
        lambda: (SimpleNamespace(target=SimpleNamespace(where="/tmp/sock"), datadir=None), 0.25), allowed, ports
    )
    assert judged.recovery_s == 0.25 and judged.held == (None if isinstance(found, Exception) else found)
    check = judged.check(allowed)
    assert (check.key, check.outcome) == ("history", "invalid" if judged.says else "valid")
    assert (check.count, bool(check.says)) == ((1, True) if judged.says else (0, False))
    return judged.says


@pytest.mark.parametrize("found", [ONE, TWO])
def test_the_content_before_and_after_the_statement_under_way_are_right(found):
    assert complaint(found) == ""


def test_a_wrong_content_is_compared_with_both():
    mixed = ServerContent(TWO.tables, ("'x'",), 1)
    assert complaint(mixed) == (
        "in the tables t: 2 rows instead of t: 1 row; prepared (\"'x'\",) instead of () (as after the beginning) "
        "or prepared (\"'x'\",) instead of (); in the binary log 1 transaction instead of 2 (as after INSERT 2)"
    )


def test_after_the_last_statement_one_content_is_right():
    assert complaint(ONE, ALLOWED[1:]) == (
        "in the tables t: 1 row instead of t: 2 rows; in the binary log 1 transaction instead of 2"
    )
    judged = HistoryJudgement("gone")
    assert judged.check(ALLOWED[1:]).says == "Crash after INSERT 2: gone"
    assert judged.check(ALLOWED[:1]).says == "Crash after the beginning: gone"
    assert judged.check(ALLOWED).says == "Crash during INSERT 2: gone"


def test_a_table_that_cannot_be_read_is_named():
    assert complaint(ServerError("/tmp/sock answered: t is crashed")) == (
        "Its content cannot be read: the server answered: t is crashed"
    )


def test_a_server_that_does_not_come_back_is_named():
    def refuse():
        raise ServerEnded("signal 6")

    told = judge_history(refuse, ALLOWED)
    assert (told.says, told.recovery_s, told.held) == ("The server does not come back: signal 6", None, None)


def test_a_server_that_hangs_leaves_the_state_unclear_and_the_others_are_tried(recording):
    def hang(server, settings):
        raise SandboxError("no answer for 60 s")

    lane = SimpleNamespace(become=lambda contents: None, states=JointStates([States(recording)]))
    lines = [str(number) for number in range(LOG_LINES + 1)]
    lane.server = SimpleNamespace(target=None, datadir=None, kill=lambda: None, log_text="\n".join(lines))
    history = History("one insert", ((0, "INSERT 2"),))
    ports = replace(PORTS, start=lambda _: None, play=lambda *_: Played(history, recording, ALLOWED),
                    lanes=lambda *_: [lane], recover=hang)  # fmt: skip
    wanted = partial(is_wrong_under, "INSERT 2")
    found, kept = exhaust.exhaust(Request({}, Timeline([].append, lambda: False)), history, 60.0, ports, wanted)
    assert {(one.verdict, one.passed, one.recovery_s) for one in found.states} == {("unknown", (), None)}
    assert {one.checks[0].says for one in found.states} == {"Crash after INSERT 2: no answer for 60 s"}
    assert found.states[0].log_lines == tuple(lines[1:]), "the last ones"
    assert (found.counts.tried, found.counts.failed, kept) == (4, 0, None), "none is known to be wrong"
    assert found.counts.uncounted == 4, "nor to be right"


def test_a_state_that_cannot_be_made_is_not_tried(recording):
    """One of the disks is busy: the others of the four states are recovered."""
    tries = count()

    def become(contents):
        if next(tries) == 1:
            raise SandboxError("/dev/loop7 is busy.")

    lane = SimpleNamespace(become=become, states=JointStates([States(recording)]))
    lane.server = SimpleNamespace(target=None, datadir=None, kill=lambda: None, log_text="")
    history = History("one insert", ((0, "INSERT 2"),))
    ports = replace(PORTS, start=lambda _: None, play=lambda *_: Played(history, recording, ALLOWED),
                    lanes=lambda *_: [lane], content=lambda *_: TWO)  # fmt: skip
    found, _ = exhaust.exhaust(Request({}, Timeline([].append, lambda: False)), history, 60.0, ports)
    assert (len(found.states), found.left, len(found.untried), found.unmade) == (3, 1, 1, 1)
    assert (found.why_unmade, found.out_of_time) == ("/dev/loop7 is busy.", False)
    both = exhaust._together([replace(found, unmade=0, why_unmade=""), found, found])
    assert (both.unmade, both.why_unmade, both.left) == (2, "/dev/loop7 is busy.", 3)


def test_a_recording_that_ended_by_itself_is_told(recording):
    bound = replace(recording, log=replace(recording.log, end=RecordingEnd.BOUND))
    lane = SimpleNamespace(become=lambda contents: None, states=JointStates([States(bound)]))
    lane.server = SimpleNamespace(target=None, datadir=None, kill=lambda: None, log_text="")
    history = History("one insert", ((0, "INSERT 2"),))
    ports = replace(PORTS, start=lambda _: None, play=lambda *_: Played(history, bound, ALLOWED),
                    lanes=lambda *_: [lane], content=lambda *_: ONE)  # fmt: skip
    found, _ = exhaust.exhaust(Request({}, Timeline([].append, lambda: False)), history, 60.0, ports)
    assert found.ended == "It reached its largest size. No later moment was tried."
    assert exhaust._together([replace(found, ended=""), found]).ended == found.ended
    assert exhaust._together([replace(found, ended="")]).ended == ""
    assert (found.pairs, found.covered, found.margin_s) == (0, 0, 0), "all states are tried, not flushes covered"


def test_every_state_is_recovered_and_the_wrong_ones_are_told(recording):
    """The made-up server recovers wrong where the first of both blocks is there without the second."""
    disk, killed, told = {}, [], []
    lane = SimpleNamespace(become=lambda contents: (disk.clear(), disk.update(contents[0])))
    lane.states = JointStates([States(recording)])
    lane.server = SimpleNamespace(target=None, datadir=None, kill=lambda: killed.append(1), log_text="ready")
    started = []
    under_way = (ALLOWED[0], replace(ALLOWED[1], answered_ns=1 << 62))
    history = History("one insert", ((0, "INSERT 2"),), {"max_binlog_size": "4096"})
    ports = replace(
        PORTS,
        start=started.append,
        play=lambda *_: Played(history, recording, under_way),
        lanes=lambda *_: [lane],
        content=lambda *_: replace(ONE, logged=7) if set(disk) == {0} else ONE,
    )
    begun = Request({"sync_binlog": "1"}, Timeline(told.append, lambda: False))
    found, kept = exhaust.exhaust(begun, history, 60.0, ports)
    assert kept is None and len(killed) == 4, "none was wanted"
    assert told[0] == "history: one insert"
    assert started[0].settings == {"sync_binlog": "1", "max_binlog_size": "4096"}, "the history's own settings count"
    assert (found.counts.tried, found.counts.failed, begun.timeline.now) == (4, 1, "crash points")
    assert (found.windows, found.sampled, found.out_of_time) == (2, 0, False)
    assert {(state.verdict, state.passed, state.log_lines) for state in found.states} == {
        ("valid", ("history",), ()), ("invalid", (), ("ready",))
    }  # fmt: skip
    assert max(state.at_s for state in found.states) < 1e-6, "the made-up clock ticks once in a nanosecond"
    [wrong] = [state for state in found.states if state.verdict == "invalid"]
    assert (wrong.moment, wrong.keeps, wrong.way, wrong.recovery_s) == (1, "written", "one insert", 0.25)
    assert (
        "Crash during INSERT 2: in the binary log 7 transactions instead of 1 (as after the beginning)"
        in wrong.checks[0].says
    )
    assert (wrong.lost_engine, wrong.lost_binlog) == (None, None), "more than was written is no loss"
    early, _ = exhaust.exhaust(begun, history, -1.0, ports)
    assert (early.counts.tried, early.left, early.out_of_time) == (1, 3, True), "the first state is always tried"
    assert [exhaust._together(some).out_of_time for some in ([found, early], [found, found])] == [True, False]
    everywhere, *here = (
        {(one.moment, one.keeps) for one in some} for some in (found.states, early.states, early.untried)
    )
    assert everywhere == here[0] | here[1] and len(here[1]) == 3
    assert found.untried == () and exhaust._together([early, early]).left == len(early.untried) * 2 == 6


def test_a_wrong_state_says_what_engine_and_binary_log_lost(recording):
    """The INSERT was answered; the engine lacks it, and the binary log has it."""
    lane = SimpleNamespace(become=lambda contents: None, states=JointStates([States(recording)]))
    lane.server = SimpleNamespace(target=None, datadir=None, kill=lambda: None, log_text="")
    played = Played(History("one insert", ((0, "INSERT 2"),)), recording, ALLOWED)
    ports = replace(PORTS, start=lambda _: None, play=lambda *_: played, lanes=lambda *_: [lane],
                    content=lambda *_: replace(ONE, logged=2))  # fmt: skip
    found, _ = exhaust.exhaust(Request({}, Timeline([].append, lambda: False)), played.history, 60.0, ports)
    assert {(one.acknowledged, one.lost_engine.transactions, one.lost_binlog.transactions) for one in found.states} == {
        (1, 1, 0)
    }


def test_states_are_told_by_the_last_moment_at_which_each_is_possible(tmp_path):
    """The first block alone is there early, and again at the end. The clock ticks once a second, from 1,000 s on."""
    written = Written(tmp_path, clock=count(1000 * NS, NS))
    for block, byte in ((0, b"a"), (1, b"b"), (1, b"\0")):
        written.write(block, byte)
        written.flush()
    recording = written.load()
    lane = SimpleNamespace(become=lambda contents: None, states=JointStates([States(recording)]))
    lane.server = SimpleNamespace(target=None, datadir=None, kill=lambda: None, log_text="")
    history = History("one insert", ((0, "INSERT 2"),))
    ports = replace(PORTS, start=lambda _: None, play=lambda *_: Played(history, recording, ALLOWED),
                    lanes=lambda *_: [lane], content=lambda *_: TWO)  # fmt: skip
    found, _ = exhaust.exhaust(Request({}, Timeline([].append, lambda: False)), history, 60.0, ports)
    assert [(one.moment, one.at_s) for one in found.states] == [(0, 3), (6, 9), (3, 10)]
    assert found.recorded_s == 10 and {(one.redo, one.binlog) for one in found.states} == {(0, 0)}
    assert 0 <= max(one.took_s for one in found.states) <= found.took_s < 60
