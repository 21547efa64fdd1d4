"""Recovers one state of a recorded load after the other, on a disk of its own, and judges each."""

from dataclasses import dataclass, replace
from time import monotonic

from workers.crash.chain import LOG_LINES
from workers.crash.checks import run_checks
from workers.crash.collect import Case, of_answering, of_refusing, with_reissued
from workers.crash.evidence import Evidence
from workers.crash.inspect import BinlogPlace, Inspector
from workers.crash.judge import lost_work
from workers.crash.ledger import Ledger
from workers.crash.points.recorded import Recorded
from workers.crash.points.story import TriedState, counting
from workers.crash.verdict import verdict
from workers.errors import ServerEnded
from workers.sandbox import options, untrusted
from workers.sandbox.disk.recording.points import Choice
from workers.sandbox.disk.recording.states import State, States
from workers.sandbox.disk.replay import ReplayDisk
from workers.sandbox.server import Recovery, Sandbox


@dataclass(frozen=True)
class Lane:
    """`server`: stopped, with its data on the disk."""

    load: Recorded
    states: States
    disk: ReplayDisk
    server: Sandbox

    def attempt(self, choice: Choice) -> TriedState:
        """Any state before is forgotten. Raises SandboxError when the state could not be made."""
        began, state = monotonic(), choice.state
        self.server.kill()
        self.server.forget_logs()
        self.disk.become(self.states.blocks(state.point))
        case = self._case(state)
        evidence, recovery = self._recovered(case)
        self.server.kill()
        return self._judged(choice, case.ledger, evidence, recovery, monotonic() - began)

    def _case(self, state: State) -> Case:
        load = self.load
        at_s = load.at_s(state.until_ns - 1)  # the moment before the content changes
        log, before = self._binlogs()
        return Case(
            look=Inspector(self.server, load.schema, load.secret, log),
            ledger=load.whole.until(at_s, load.secret, load.margin_s),
            secret=load.secret,
            has_binlog=load.has_binlog,
            has_gtids=load.has_gtids,
            before=before,
            gtid_before="",
        )

    def _binlogs(self) -> tuple[BinlogPlace | None, BinlogPlace | None]:
        """The binlog of this state, and the recorded one without files that did not exist yet."""
        first = self.load.look.log.first if self.load.look.log else ""
        datadir = self.server.datadir
        if self.load.before is None or not datadir.is_dir():
            return None, None
        present = untrusted.names(datadir, [f"{options.BINLOG_BASE}.*"])
        log = BinlogPlace(datadir / f"{options.BINLOG_BASE}.index", first)
        return log, replace(self.load.before, among=frozenset(present))

    def _recovered(self, case: Case) -> tuple[Evidence, Recovery | None]:
        try:
            if not self.server.datadir.is_dir():
                raise ServerEnded("The power loss took its data directory.")
            recovery = self.server.recover(self.load.settings)
        except ServerEnded as ended:
            return of_refusing(case, ended.message, self.server.log_text.splitlines()[-LOG_LINES:]), None
        found = of_answering(case, recovery.log_lines)
        return with_reissued(case, found, self.load.named, has_written_on=False), recovery

    def _judged(
        self, choice: Choice, ledger: Ledger, evidence: Evidence, recovery: Recovery | None, took_s: float
    ) -> TriedState:
        at_s = self.load.at_s(choice.state.until_ns)
        acknowledged = len(ledger.acknowledged())
        checks = counting(run_checks(ledger, evidence), acknowledged)
        bad = tuple(one for one in checks if one.outcome != "valid")
        return TriedState(
            moment=choice.state.point.moment,
            at_s=at_s,
            keeps=_in_words(choice.state),
            way=choice.way,
            redo=choice.reached.redo_bytes,
            binlog=choice.reached.binlog_bytes,
            acknowledged=acknowledged,
            verdict=verdict(checks),
            checks=bad,
            passed=tuple(one.key for one in checks if one.outcome == "valid"),
            lost_engine=lost_work(ledger, evidence.engine, at_s),
            lost_binlog=lost_work(ledger, evidence.binlog.seen if evidence.binlog else None, at_s),
            recovery_s=recovery.seconds if recovery else None,
            took_s=took_s,
            log_lines=tuple(self.server.log_text.splitlines()[-LOG_LINES:]) if bad else (),
        )


def _in_words(state: State) -> str:
    keeps = state.point.keeps
    return keeps if isinstance(keeps, str) else type(keeps).__name__.lower()
