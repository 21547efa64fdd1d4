"""Judges one state of a recorded load after its recovery, with what was acknowledged by then."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from time import monotonic

from workers.crash.chain import LOG_LINES
from workers.crash.checks import run_checks
from workers.crash.collect import Case, of_answering, of_refusing, with_reissued
from workers.crash.evidence import Evidence, ReplicaSeen
from workers.crash.inspect import BinlogPlace, Inspector
from workers.crash.judge import lost_work
from workers.crash.points.lane import Lane, recover
from workers.crash.points.recorded import Recorded
from workers.crash.points.story import TriedState, counting
from workers.crash.points.untried import UntriedPoint
from workers.crash.replica import Replica, followed
from workers.crash.replica_check import has_written_on
from workers.crash.replica_link import Link
from workers.crash.verdict import verdict
from workers.errors import SandboxError, ServerEnded
from workers.sandbox import options, untrusted
from workers.sandbox.disk.recording.joint import Contents, JointChoice
from workers.sandbox.server import Recovery, Sandbox


@dataclass(frozen=True)
class StateJudge:
    """`recover`, `inspect`: replaced by tests."""

    load: Recorded
    recover: Callable[[Sandbox, Mapping[str, str]], Recovery] = recover
    inspect: Callable[..., Inspector] = Inspector

    def attempt(self, lane: Lane, choice: JointChoice, contents: Contents | None = None) -> TriedState:
        """`contents`: instead of those of the state. Raises SandboxError when the state could not be made."""
        began, state = monotonic(), choice.state
        lane.become(lane.states.blocks(state.points) if contents is None else contents)
        return self.judge(lane, point_of(self.load, choice), state.until_ns, began)

    def judge(self, lane: Lane, point: UntriedPoint, until_ns: int, began: float) -> TriedState:
        """The lane's present state. Commits acknowledged before `until_ns` must be there. `began`: when its making
        began, monotonic clock."""
        case = self._case(lane.server, until_ns)
        ledger, (evidence, recovery) = case.ledger, self._recovered(lane, case)
        lane.server.kill()
        log_lines = tuple(lane.server.log_text.splitlines()[-LOG_LINES:])
        took_s, acknowledged = monotonic() - began, len(ledger.acknowledged())
        checks = counting(run_checks(ledger, evidence), acknowledged)
        bad = tuple(one for one in checks if one.outcome != "valid")
        return TriedState(
            **vars(point),
            acknowledged=acknowledged,
            verdict=verdict(checks),
            checks=bad,
            passed=tuple(one.key for one in checks if one.outcome == "valid"),
            vacuous=tuple(one.key for one in checks if one.vacuous),
            lost_engine=lost_work(ledger, evidence.engine, point.at_s),
            lost_binlog=lost_work(ledger, evidence.binlog.seen if evidence.binlog else None, point.at_s),
            recovery_s=recovery.seconds if recovery else None,
            took_s=took_s,
            log_lines=log_lines if bad else (),
            lost_replica=lost_work(ledger, evidence.replicas[0].seen, point.at_s) if evidence.replicas else None,
        )

    def _case(self, server: Sandbox, until_ns: int) -> Case:
        load = self.load
        at_s = load.at_s(until_ns - 1)  # the moment before the content changes
        log, before = self._binlogs(server)
        return Case(
            look=self.inspect(server, load.schema, load.secret, log),
            ledger=load.whole.until(at_s, load.secret, load.margin_s),
            has_binlog=load.has_binlog,
            has_gtids=load.has_gtids,
            before=before,
            gtid_before="",
            replica_expected=load.replica is not None,
        )

    def _binlogs(self, server: Sandbox) -> tuple[BinlogPlace | None, BinlogPlace | None]:
        """The binlog of this state, and the recorded one without files that did not exist yet. None: its folder is
        lost."""
        first = self.load.look.log.first if self.load.look.log else ""
        folder = server.binlog_index.parent
        if self.load.before is None:
            return None, None
        try:
            present = untrusted.names(folder, [f"{options.BINLOG_BASE}.*"])
        except OSError:
            return None, None
        log = BinlogPlace(server.binlog_index, first, home=server.datadir)
        return log, replace(self.load.before, among=frozenset(present))

    def _recovered(self, lane: Lane, case: Case) -> tuple[Evidence, Recovery | None]:
        try:
            recovery = self.recover(lane.server, self.load.settings)
        except ServerEnded as ended:
            return of_refusing(case, ended.message, lane.server.log_text.splitlines()[-LOG_LINES:]), None
        except SandboxError as failed:  # it hangs, for instance: this state is unknown, the others are tried
            return replace(case.expected(), problems=(failed.message,), gtids_known=False), None
        found, replicas = of_answering(case, recovery.log_lines), self.replicas(lane)
        found = replace(found, replicas=replicas)
        return with_reissued(case, found, self.load.named, has_written_on(replicas)), recovery

    def replicas(self, lane: Lane) -> tuple[ReplicaSeen, ...]:
        """What a replica is after it followed the recovered server. No replica follows a server that is crashed
        alone."""
        recorded, server = self.load.replica, lane.replica
        if recorded is None or server is None:
            return ()

        def start() -> Replica:
            self.recover(server, recorded.settings)
            link = Link(lane.server, server, recorded.link.password)
            return Replica(server, link, self.load.secret, recorded.settings)

        return followed(start)


def point_of(load: Recorded, choice: JointChoice) -> UntriedPoint:
    return UntriedPoint(
        moment=choice.state.points[-1].moment,
        at_s=load.at_s(choice.state.until_ns),
        keeps=load.keeps(choice.state),
        way=choice.way,
        redo=choice.reached.redo_bytes,
        binlog=choice.reached.binlog_bytes,
    )
