"""One state of a recorded load after its recovery: its evidence, and what is made of it. The server is made up."""

from time import monotonic
from types import SimpleNamespace

import pytest

from tests.unit.crash.binlog_bytes import SECRET
from tests.unit.crash.case import CLIENTS, SENT, ledger
from tests.unit.sandbox.recordings import Written
from workers.crash.evidence import Seen
from workers.crash.points.judge_state import PointTold, StateJudge
from workers.errors import SandboxError, ServerEnded
from workers.sandbox.disk.recording.events import RecordingEnd
from workers.sandbox.disk.recording.joint import JointStates, of_one, of_the_last
from workers.sandbox.disk.recording.points import ChosenPoint, Reached
from workers.sandbox.disk.recording.recording import Recording
from workers.sandbox.disk.recording.states import CrashPoint, DiskState, States
from workers.sandbox.server import Recovery

END_NS, NS = 500_000_000, 1_000_000_000
ALL = ledger().acknowledged()


class Look:
    def __init__(self, engine):
        self.problems, self._engine, self.log = [], engine, None

    def engine(self):
        return self._engine

    def prepared_left(self):
        return 0

    def tables_ok(self):
        return True


def judged(engine=ALL, fails=None, until_ns=END_NS):
    judge, lane = made_up(engine, fails)
    found = judge.judge(lane, PointTold(12, until_ns, "written", "after a flush", Reached(4096, 512)), monotonic())
    assert lane.killed == [1]
    return found


def made_up(engine=ALL, fails=None):
    """Without a binlog. `fails`: the error of the recovery."""
    killed = []

    def recover(server, settings):
        if fails:
            raise fails
        return Recovery(0.25, ())

    load = SimpleNamespace(
        schema="s", secret=SECRET, has_binlog=False, has_gtids=False, before=None, named=None, margin_s=0.0,
        settings={}, whole=ledger().sealed(SECRET), at_s=lambda at_ns: at_ns / NS, look=SimpleNamespace(log=None),
        replica=None, keeps=lambda state: "durable",
    )  # fmt: skip
    server = SimpleNamespace(binlog_index=SimpleNamespace(parent=None), log_text="a\nb", kill=lambda: killed.append(1))
    judge = StateJudge(load, recover, lambda *_: Look(Seen(engine)))
    return judge, SimpleNamespace(server=server, killed=killed)


def test_a_state_that_holds_everything_passes():
    found = judged()
    assert (found.verdict, found.acknowledged, found.recovery_s) == ("valid", CLIENTS * (SENT - 1), 0.25)
    assert (found.checks, found.log_lines) == ((), ())
    assert {"lost-engine", "stays-down", "order"} <= set(found.passed)
    assert (found.moment, found.keeps, found.way, found.redo, found.binlog) == (
        12,
        "written",
        "after a flush",
        4096,
        512,
    )
    assert 0 <= found.took_s < 600
    assert found.lost_binlog is None and found.lost_engine.transactions == 0


def test_a_loss_is_counted_and_the_log_is_kept():
    found = judged(engine=ALL[:-2])
    assert found.verdict == "invalid" and found.lost_engine.transactions == 2
    assert {one.key: one.count for one in found.checks if one.outcome == "invalid"} == {"lost-engine": 2}
    assert "lost-engine" not in found.passed
    assert found.log_lines == ("a", "b")


def test_only_what_was_acknowledged_by_then_must_be_there():
    """Of the answers at 0.010, 0.011 and 0.012 s the first two."""
    found = judged(engine=ledger().until(0.0115, SECRET, 0).acknowledged(), until_ns=11_500_000)
    assert (found.acknowledged, found.at_s) == (2, 0.0115)
    assert found.lost_engine.transactions == 0 and found.verdict == "valid"


def test_an_answer_at_the_moment_at_which_the_content_changes_does_not_count():
    assert judged(until_ns=11_000_000).acknowledged == 1


def test_before_the_first_acknowledgement_checks_of_transactions_are_vacuous():
    found = judged(engine=ALL[:0], until_ns=1_000_000)
    assert found.acknowledged == 0 and found.vacuous
    assert set(found.vacuous) <= set(found.passed)
    assert not judged().vacuous


def test_a_server_that_ends_by_itself_is_a_violation():
    found = judged(fails=ServerEnded("signal 6"))
    assert found.verdict == "invalid" and found.recovery_s is None
    assert "stays-down" in {one.key for one in found.checks if one.outcome == "invalid"}


@pytest.mark.parametrize("engine", [ALL, ALL[:0]])
def test_a_recovery_that_hangs_leaves_the_state_unclear(engine):
    found = judged(engine, fails=SandboxError("no answer for 60 s"))
    assert found.verdict == "unknown" and found.passed == ()


@pytest.mark.parametrize(("blocks", "become"), [(None, {1: b"of the state"}), ({2: b"a mixture"}, {2: b"a mixture"})])
def test_the_disk_becomes_the_state_or_the_blocks_that_are_given(blocks, become):
    judge, lane = made_up()
    disks = []
    lane.become, lane.states = disks.append, SimpleNamespace(blocks=lambda points: {1: b"of the state"})
    state = DiskState(CrashPoint(9), 0, END_NS, 0)
    found = judge.attempt(lane, of_one(ChosenPoint(state, "at random", Reached(1, 2), True)), blocks)
    assert disks == [become]
    assert (found.moment, found.keeps, found.way, found.redo, found.binlog) == (9, "durable", "at random", 1, 2)


@pytest.mark.parametrize(("engine", "wrong"), [(ALL, set()), (ALL[:-1], {"lost-engine"})])
def test_a_primary_that_lives_on_must_have_what_was_acknowledged_after_its_replicas_recording_ended(
    tmp_path, engine, wrong
):
    """The replica's recording ends before the first answer at 0.010 s."""
    times = {"primary": (1, 2, END_NS), "replica": (1, 2, 3)}
    for name, clock in times.items():
        (tmp_path / name).mkdir()
        written = Written(tmp_path / name, clock=iter(clock))
        written.write(0, b"x")
        written.recorder.stop(RecordingEnd.STOPPED if name == "primary" else RecordingEnd.BOUND)
    states = JointStates([States(Recording.load(tmp_path / name)) for name in times])
    choice = of_the_last(states, ChosenPoint(states.disks[1].at(CrashPoint(1)), "at random", Reached(1, 2), True))
    judge, lane = made_up(engine)
    lane.become, lane.states = (lambda contents: None), states
    found = judge.attempt(lane, choice)
    assert {one.key for one in found.checks if one.outcome == "invalid"} == wrong
    assert found.acknowledged == len(ALL)
