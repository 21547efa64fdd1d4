"""One crash trial: prepare, load, crash, recover, read, judge. Whatever happens, nothing of it is left behind."""

import logging
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from workers.crash import ways
from workers.crash.attached import AttachedServer
from workers.crash.checks import judge_all, missing_from
from workers.crash.digest import new_secret
from workers.crash.evidence import Evidence, ReplicaSeen, Seen
from workers.crash.image import make_tables, witness_image
from workers.crash.inspect import BinlogPlace, Inspector, keep_binlog, read_binlog, telling
from workers.crash.kinds import CRASH_KINDS
from workers.crash.kinds.kind import CrashKind, Scene
from workers.crash.ledger import Ledger
from workers.crash.replica import AFTER_RECOVERY, SCHEMA, WROTE_ON, Replica, write_past
from workers.crash.stop import killing
from workers.crash.timeline import Timeline
from workers.crash.trial import Loss, TrialResult, TrialSetup
from workers.crash.verdict import verdict
from workers.crash.witness import Witness
from workers.errors import Cancelled, DurascopeError, PlanError, SandboxError, ServerEnded, reason
from workers.host import temporary
from workers.sandbox import options
from workers.sandbox.disk import prepared
from workers.sandbox.disk.volatile import VolatileDisk
from workers.sandbox.server import Recovery, Sandbox
from workers.sandbox.users import unprivileged_user
from workers.servers import ask
from workers.servers.connection import connect

log = logging.getLogger(__name__)
POLL_S = 0.05
QUIET_S = 1.0  # how long an answer of a server on another host may be under way
LOG_LINES = 400
# A sandbox's own habit is to throw it away after a minute; a server too old for that does not know the variable.
KEEP_BINLOG = {"loose_binlog_expire_logs_seconds": "0"}


def run_trial(setup: TrialSetup, tell: Callable[[str], None], cancelled: Callable[[], bool]) -> TrialResult:
    """Raises PlanError when the kind is not available here, Cancelled within two seconds when asked to stop; any other
    trouble makes the verdict unknown and names the step."""
    made = ExitStack()
    trial = _Trial(setup, _kind(setup), made, tell, cancelled)
    try:
        result = _run(trial, cancelled)
    finally:
        left = _tidied(made)
    return replace(result, notes={**result.notes, "left behind": left}) if left else result


def _run(trial: "_Trial", cancelled: Callable[[], bool]) -> TrialResult:
    try:
        with killing(cancelled, trial.kill):
            return trial.run()
    except Exception as failure:  # a trial that breaks, in whatever way, is unknown and never valid
        if cancelled():
            raise Cancelled("Stopped in the middle of a crash trial.") from failure
        return trial.unknown(failure)


def _tidied(made: ExitStack) -> str:
    """What is left behind, in words. A trial that has its verdict keeps it, whatever cannot be removed."""
    try:
        made.close()
    except Exception:
        log.exception("tidying up after a crash trial")
        return "A disk or a folder of this trial could not be removed at once. The worker tries again."
    return ""


def _kind(setup: TrialSetup) -> CrashKind:
    kind = CRASH_KINDS.get(setup.kind)
    if kind is None:
        raise PlanError(f"There is no crash kind {setup.kind!r}.", f"Known: {', '.join(CRASH_KINDS)}.")
    if kind.attached != (setup.attached is not None) or (setup.attached or setup.build) is None:
        raise PlanError(f"{kind.title} is not for {setup.name}: nothing was crashed.", "Choose another crash kind.")
    if why := kind.missing():
        raise PlanError(f"{kind.title} is not available on this host.", why)
    return kind


class _Trial:
    """The state of one trial. Everything that must go away again is on `made`."""

    def __init__(
        self,
        setup: TrialSetup,
        kind: CrashKind,
        made: ExitStack,
        tell: Callable[[str], None],
        cancelled: Callable[[], bool],
    ) -> None:
        self.setup, self.kind, self.made = setup, kind, made
        self.tell, self.cancelled = tell, cancelled
        self.settings = {**KEEP_BINLOG, **_for_replica(setup), **setup.settings}
        self.schema = setup.attached.schema if setup.attached else SCHEMA
        self.secret = new_secret()
        self.timeline = Timeline()
        self.disk: VolatileDisk | None = None
        self.server: Sandbox | AttachedServer | None = None
        self.replica: Replica | None = None
        self.witness: Witness | None = None
        self.has_binlog = self.has_gtids = False
        self.log: BinlogPlace | None = None
        self.before: BinlogPlace | None = None  # a copy of the binlog as it stood at the crash
        self.gtid_before = ""
        self.crash_at_s = 0.0
        self.recovery: Recovery | None = None
        self.promoted: Seen | None = None
        self.problems: list[str] = []
        self.notes: dict[str, str] = {}

    def run(self) -> TrialResult:
        scene = self._prepare()
        self._load()
        self.notes |= self.kind.crash(scene)
        self._step("recovery")
        if scene.disk:
            scene.disk.storage(0)
        evidence = self._recovered(scene.server)
        self._step("checks")
        return self._judge(evidence)

    def unknown(self, failure: Exception) -> TrialResult:
        """A trial that could not be completed."""
        steps, now = self.timeline.steps(), self.timeline.now
        return TrialResult("unknown", (), None, steps, failed_at=now, error=reason(failure), **self._common())

    def kill(self) -> None:
        """End what somebody may be waiting for: the disk first, for a server that waits for it cannot be killed."""
        if self.disk:
            self.disk.give_way()
        for server in (self.server, self.replica and self.replica.sandbox):
            if server:
                server.kill()

    def _prepare(self) -> Scene:
        disk = None
        if self.setup.attached:
            self._step("prepare")
            self.server = AttachedServer(self.setup.attached)
            self.made.callback(self.server.close)
            with connect(self.server.target) as connection:
                make_tables(connection, self.schema, self.setup.engine)
        else:
            disk = self._start_sandbox()
        self._look()
        if self.setup.replica and self.has_binlog and isinstance(self.server, Sandbox):
            self._step("attach replica")
            attached = Replica.attach(self.setup.root, self.setup.build, self.server, self.secret, user=self.setup.user)
            self.replica = self.made.enter_context(attached)
        self.witness = Witness(self.server.target, self.schema, self.setup.clients, self.secret)
        self.made.callback(self.witness.close)
        scene = Scene(self.server, disk, self.setup.seed, self._step, self._frozen, self._keep_binlog)
        self.kind.arm(scene)
        return scene

    def _start_sandbox(self) -> VolatileDisk | None:
        """The server, running; the disk that its datadir is on, where the crash kind needs one."""
        self._step("prepare")
        setup, disk = self.setup, None
        key = witness_image(setup)
        if self.kind.needs_disk or setup.storage:
            user = unprivileged_user(setup.user)
            self.disk = disk = self.made.enter_context(prepared.new_disk(setup.root, setup.build, user, image_key=key))
        self._step("start")
        how = {"name": setup.name, "image_key": key, "trace": False, "user": setup.user}
        where = disk.mnt if disk else None
        self.server = self.made.enter_context(
            Sandbox.create(setup.root, setup.build, self.settings, datadir_on=where, **how)
        )
        if disk:
            self.made.callback(disk.give_way)  # before the server is killed
        else:
            self.server.flush_logs()  # else MySQL at flush 0 may lose our account in the kill
        if disk and setup.storage:
            disk.storage(1000 * setup.storage.k_ms, setup.storage.r_mb_per_s)
        return disk

    def _look(self) -> None:
        """Whether and where it keeps a binlog, and the variant's settings as the server reports them."""
        with connect(self.server.target) as connection:
            variables = ask.names_to_values(connection, "SHOW GLOBAL VARIABLES")
        self.has_binlog = variables.get("log_bin") in ("ON", "1")
        self.has_gtids = "gtid_binlog_pos" in variables or variables.get("gtid_mode") in ("ON", "ON_PERMISSIVE")
        self.notes |= {name: variables[name] for name in self.setup.settings if name in variables}
        if self.setup.attached:
            _must_have(self.setup, variables)
        if self.has_binlog and (index := _binlog_index(self.server, variables)):
            self.log = BinlogPlace.now(index)

    def _load(self) -> None:
        """Until the moment that the seed has drawn."""
        self._step("load")
        self.witness.begin()
        while (left := self.witness.began + self.setup.crash_after_s - time.monotonic()) > 0:
            if self.cancelled():
                raise Cancelled("Stopped in the middle of a crash trial.")
            if not self.witness.alive:
                raise SandboxError(f"The clients stopped before the crash: {self.witness.trouble}.")
            time.sleep(min(left, POLL_S))
        if self.has_binlog:
            self.gtid_before = self._inspector().gtid_position() or ""

    def _frozen(self) -> None:
        """Nothing more can be told to a client: hear what was."""
        self.crash_at_s = time.monotonic() - self.witness.began
        self.witness.drain(QUIET_S if self.setup.attached else 0)

    def _keep_binlog(self) -> None:
        """As it stood at the crash, flushed or not: a disk without power still answers from memory."""
        if self.log:
            self.before = keep_binlog(self.log, self.made.enter_context(temporary.folder("binlog")))

    def _recovered(self, server: Sandbox | AttachedServer) -> Evidence:
        """What is found of it. Of one that refuses what the crash has left, only the files can be read."""
        try:
            self._must_have_data(server)
            self.recovery = server.recover(self.settings)
        except ServerEnded as refused:
            self.problems.append("the server does not come back")
            return Evidence(
                engine=None,
                binlog=self._inspector().binlog() if self.has_binlog else None,
                stays_down=refused.message,
                gtids_known=False,
                recovery_lines=telling(server.log_text.splitlines()[-LOG_LINES:]),
                problems=tuple(self.problems),
                **self._expected(),
            )
        return self._evidence()

    def _must_have_data(self, server: Sandbox | AttachedServer) -> None:
        """A disk that lies and tears may lose the folder itself. ServerEnded: there is nothing to recover from."""
        if self.kind.needs_disk and not server.datadir.is_dir():
            raise ServerEnded("The power loss took its data directory.")

    def _expected(self) -> dict[str, Any]:
        return {
            "binlog_expected": self.has_binlog,
            "replica_expected": self.replica is not None,
            "gtids_expected": self.has_gtids,
            "others_write": self.setup.attached is not None,
            "secret": self.secret,
        }

    def _inspector(self) -> Inspector:
        return Inspector(self.server.target, self.schema, self.secret, self.log, self.problems)

    def _evidence(self) -> Evidence:
        self._step("evidence")
        look = self._inspector()
        found = {
            "engine": look.engine(),
            "binlog": (log := look.binlog() if self.has_binlog else None),
            "rewritten": look.rewritten(self.before, log) if log else None,
            "gtid_after": (look.gtid_position() or "") if self.has_binlog else "",
            "prepared_left": look.prepared_left(),
            "tables_ok": look.tables_ok(),
        }
        replicas = self._ask_replica() if self.replica else ()
        reissued = self._reissued(look) if self.has_binlog and self.has_gtids else ()
        return Evidence(
            **found,
            **self._expected(),
            replicas=replicas,
            gtid_before=self.gtid_before,
            reissued=reissued or (),
            gtids_known=reissued is not None,
            stays_down="",
            recovery_lines=telling(self.recovery.log_lines),
            problems=tuple(self.problems),
        )

    def _ask_replica(self) -> tuple[ReplicaSeen, ...]:
        self._step("replica")
        try:
            self.promoted = self.replica.promote()
            rejoined = self.replica.can_rejoin(self.server, self.settings)
            after = self.replica.reconnect(AFTER_RECOVERY)
            write_past(self.server, self.replica)
            return (after, self.replica.reconnect(WROTE_ON), rejoined)
        except DurascopeError as failure:
            self.problems.append(f"replica: {reason(failure)}")
            return ()

    def _reissued(self, look: Inspector) -> tuple[str, ...] | None:
        """GTIDs of acknowledged transactions that others have now; None: not known. In doubt ones do not count: a
        server may forget what it promised nobody. A replica's primary has written on already."""
        try:
            before = read_binlog(self.before, self.schema, self.secret).gtids
        except (DurascopeError, OSError) as failure:
            self.problems.append(f"binlog before the crash: {reason(failure)}")
            return None
        if not self.replica and not look.write_on():
            return None
        acknowledged = set(self.witness.ledger().acknowledged().tolist())
        return look.reissued({gtid: key for gtid, key in before.items() if key in acknowledged})

    def _judge(self, evidence: Evidence) -> TrialResult:
        ledger = self.witness.ledger()
        results = judge_all(ledger, evidence)
        return TrialResult(
            verdict(results),
            results,
            evidence,
            self.timeline.steps(),
            lost_engine=self._loss(ledger, evidence.engine),
            lost_binlog=self._loss(ledger, evidence.binlog.seen if evidence.binlog else None),
            lost_replica=self._loss(ledger, self.promoted),
            **self._common(),
        )

    def _loss(self, ledger: Ledger, seen: Seen | None) -> Loss | None:
        if seen is None:
            return None
        lost = missing_from(seen, ledger)
        first_s = ledger.acknowledged_at_s(lost).min(initial=self.crash_at_s)
        return Loss(len(lost), 1000 * (self.crash_at_s - float(first_s)))

    def _common(self) -> dict[str, Any]:
        """What is known of a trial however it ended."""
        ledger = self.witness.ledger() if self.witness else Ledger(())
        return {
            "digest_key": self.secret.hex(),
            "sent": len(ledger.sent()),
            "acknowledged": len(ledger.acknowledged()),
            "in_doubt": len(ledger.in_doubt()),
            "crash_at_s": self.crash_at_s,
            "recovery_s": self.recovery.seconds if self.recovery else None,
            "my_cnf": self.server.my_cnf if self.server else "",
            "log_lines": tuple(self.server.log_text.splitlines()[-LOG_LINES:]) if self.server else (),
            "notes": self.notes,
        }

    def _step(self, name: str) -> None:
        if self.cancelled():
            raise Cancelled("Stopped in the middle of a crash trial.")
        self.timeline.step(name)
        self.tell(f"{self.kind.title}: {name}")


def _for_replica(setup: TrialSetup) -> Mapping[str, str]:
    """What a replica needs of its primary. PlanError when the build cannot have one."""
    logs = setup.settings.get("log_bin", "OFF").upper() in ("ON", "1")
    return ways.of(setup.build).of_source if setup.replica and setup.build and logs else {}


def _must_have(setup: TrialSetup, variables: Mapping[str, str]) -> None:
    """An owner's server is crashed as it is: with other settings the verdict would stand under the wrong name."""
    for name, value in setup.settings.items():
        if (found := variables.get(name, "not known")).upper() != value.upper():
            raise PlanError(
                f"{setup.name} has {name}={found} now, and the variant says {value}: it was not crashed.",
                "Set it in the server's option file, or plan the experiment anew.",
            )


def _binlog_index(server: Sandbox | AttachedServer, variables: Mapping[str, str]) -> Path | None:
    """None: its files are not on this host, or not ours to read."""
    if isinstance(server, AttachedServer):
        return server.binlog_index(variables)
    return server.datadir / f"{options.BINLOG_BASE}.index"
