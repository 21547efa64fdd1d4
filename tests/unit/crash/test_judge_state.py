"""One state of a recorded load after its recovery: its evidence, and what is made of it. The server is made up."""

from dataclasses import replace
from time import monotonic
from types import SimpleNamespace

import pytest

from tests.unit.crash.binlog_bytes import SECRET
from tests.unit.crash.case import CLIENTS, SENT, in_order, ledger
from tests.unit.sandbox.recordings import Written
from workers.crash.evidence import BinlogSeen, Oddities, ReplicaSeen, Seen
from workers.crash.inspect import BinlogPlace
from workers.crash.points import judge_state
from workers.crash.points.judge_state import StateJudge
from workers.crash.points.untried import UntriedPoint
from workers.crash.replica_check import RECONNECTIONS
from workers.errors import SandboxError, ServerEnded
from workers.sandbox.disk.recording.events import RecordingEnd
from workers.sandbox.disk.recording.joint import JointStates, of_one, of_the_last
from workers.sandbox.disk.recording.points import ChosenPoint, Reached
from workers.sandbox.disk.recording.recording import Recording
from workers.sandbox.disk.recording.states import CrashPoint, DiskState, States
from workers.sandbox.server import Recovery

END_NS, NS = 500_000_000, 1_000_000_000
ALL = ledger().acknowledged()
LOG = BinlogSeen(Seen(ALL[:-3]), {}, "open", "binlog.000001:4", order=in_order())


class Look:
    def __init__(self, engine, binlog=None, given=()):
        self.problems, self._engine, self._binlog, self.given, self.log = [], engine, binlog, given, None
        self.secret = SECRET

    def engine(self):
        return self._engine

    def prepared_left(self):
        return 0

    def tables_ok(self):
        return True

    def binlog(self):
        return self._binlog

    def gtid_position(self):
        return "0-1-9"

    def rewritten(self, before, now):
        return Oddities()

    def write_on(self):
        self.problems.append("written on")
        return True

    def reissued(self, before):
        return ()


def point(until_ns):
    at_s = until_ns / NS
    return UntriedPoint(moment=12, at_s=at_s, keeps="written", way="after a flush", redo=4096, binlog=512)


def judged(engine=ALL, fails=None, until_ns=END_NS, **about):
    judge, lane = made_up(engine, fails, **about)
    found = judge.judge(lane, point(until_ns), until_ns, monotonic())
    assert lane.killed == [1]
    return found


def made_up(engine=ALL, fails=None, binlog=None, of=StateJudge, **about):
    """`fails`: the error of the recovery; `binlog`: what is in it, None: there is none; `about`: the load."""
    killed = []

    def recover(server, settings):
        if fails:
            raise fails
        return Recovery(0.25, ())

    load = SimpleNamespace(
        schema="s", secret=SECRET, has_binlog=bool(binlog), has_gtids=bool(binlog), before=None, named=None,
        margin_s=0.0, settings={}, whole=ledger().sealed(SECRET), at_s=lambda at_ns: at_ns / NS,
        look=SimpleNamespace(log=None), replica=None, keeps=lambda state: "durable",
    )  # fmt: skip
    vars(load).update(about)
    server = SimpleNamespace(binlog_index=SimpleNamespace(parent=None), log_text="a\nb", kill=lambda: killed.append(1))
    judge = of(load, recover, lambda *given: Look(Seen(engine), binlog, given))
    return judge, SimpleNamespace(server=server, killed=killed, replica=None)


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
    assert judged(until_ns=11_000_001).acknowledged == 2


def test_before_the_first_acknowledgement_checks_of_transactions_are_vacuous():
    found = judged(engine=ALL[:0], until_ns=1_000_000)
    assert found.acknowledged == 0 and found.vacuous
    assert set(found.vacuous) <= set(found.passed)
    assert not judged().vacuous


def test_a_binary_log_is_read_and_its_losses_are_counted():
    found = judged(binlog=LOG, named={})
    assert (found.lost_engine.transactions, found.lost_binlog.transactions) == (0, 3)
    assert {one.key for one in found.checks if one.outcome == "invalid"} == {"lost-binlog", "engine-only"}
    assert {one.key for one in judged(binlog=LOG).checks if one.outcome == "unknown"} == {"gtid-reused"}, "not named"


def test_nobody_but_the_clients_writes_to_a_server_that_is_recovered():
    foreign = replace(LOG, seen=Seen(ALL), others=Oddities(1, ("a DROP",)))
    assert [one.key for one in judged(binlog=foreign, named={}).checks] == ["binlog-foreign"]


class WithReplica(StateJudge):
    def replicas(self, lane):
        return lane.replicas


def test_a_replica_that_followed_is_judged_and_its_losses_are_counted():
    good = [ReplicaSeen(moment, "caught up", "", 0, Seen(seen)) for moment, seen in zip(RECONNECTIONS, (ALL[:-2], ALL),
                                                                                       strict=True)]  # fmt: skip
    looks = []
    for replicas in (tuple(good), ()):
        judge, lane = made_up(binlog=LOG, of=WithReplica, replica="recorded too", named={})
        lane.replicas = replicas
        inspect = judge.inspect
        judge = replace(judge, inspect=lambda *given, inspect=inspect: looks.append(inspect(*given)) or looks[-1])
        found = judge.judge(lane, point(END_NS), END_NS, monotonic())
        assert ("replica" in found.passed) is bool(replicas)
        assert (found.lost_replica and found.lost_replica.transactions) == (2 if replicas else None)
    assert [one.problems for one in looks] == [[], ["written on"]], "the replica's primary has written on already"
    assert "replica" not in {*judged().passed, *(one.key for one in judged().checks)}


@pytest.mark.parametrize("log", [SimpleNamespace(first="binlog.000002"), None])
def test_the_binary_log_of_a_state_is_compared_with_files_that_existed_by_then(tmp_path, log):
    """The recorded one may have begun another file later."""
    for name in ("binlog.index", "binlog.000002", "ibdata1"):
        (tmp_path / name).touch()
    before = BinlogPlace(tmp_path / "copy" / "binlog.index", "binlog.000002")
    judge, _ = made_up(before=before, look=SimpleNamespace(log=log))
    server = SimpleNamespace(binlog_index=tmp_path / "binlog.index", datadir=tmp_path / "data")
    place, recorded = judge._binlogs(server)
    first = log.first if log else ""
    assert place == BinlogPlace(tmp_path / "binlog.index", first, home=tmp_path / "data")
    assert recorded == replace(before, among=frozenset({"binlog.index", "binlog.000002"}))
    case = judge._case(server, END_NS)
    assert case.look.given == (server, "s", SECRET, place) and (case.before, case.gtid_before) == (recorded, "")
    gone = SimpleNamespace(binlog_index=tmp_path / "gone" / "binlog.index", datadir=tmp_path)
    assert judge._binlogs(gone) == (None, None), "a power loss may take the whole folder"


def test_a_server_that_ends_by_itself_is_a_violation():
    found = judged(fails=ServerEnded("signal 6"))
    assert found.verdict == "invalid" and found.recovery_s is None
    assert "stays-down" in {one.key for one in found.checks if one.outcome == "invalid"}


@pytest.mark.parametrize("engine", [ALL, ALL[:0]])
def test_a_recovery_that_hangs_leaves_the_state_unclear(engine):
    found = judged(engine, fails=SandboxError("no answer for 60 s"))
    assert found.verdict == "unknown" and found.passed == () and found.recovery_s is None
    with_binlog = judged(engine, SandboxError("no answer for 60 s"), binlog=LOG, named={})
    says = {one.key: one.says for one in with_binlog.checks}
    assert says["gtid-reused"] == "Unclear: binlog, GTIDs could not be read (no answer for 60 s)."


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


def test_a_replica_follows_the_recovered_server_with_its_own_settings_and_the_login_of_the_load(monkeypatch):
    started, recovered = [], []
    monkeypatch.setattr(judge_state, "followed", lambda start: started.append(start()) or ("followed",))
    recorded = SimpleNamespace(settings={"read_only": "ON"}, link=SimpleNamespace(password="secret"))
    judge, lane = made_up(replica=recorded)
    judge = replace(judge, recover=lambda *given: recovered.append(given))
    lane.replica = "its server"
    assert judge.replicas(lane) == ("followed",)
    (replica,) = started
    assert recovered == [("its server", {"read_only": "ON"})]
    assert (replica.sandbox, replica.secret, replica.settings) == ("its server", SECRET, {"read_only": "ON"})
    assert (replica.link.source, replica.link.follower, replica.link.password) == (lane.server, "its server", "secret")


@pytest.mark.parametrize(("recorded", "server"), [(None, "its server"), ("recorded", None), (None, None)])
def test_no_replica_follows_a_server_that_is_crashed_alone(recorded, server):
    judge, lane = made_up(replica=recorded)
    lane.replica = server
    assert judge.replicas(lane) == ()
