"""One experiment from the claim to the last word: makes its stages ready, measures cell after cell, puts
everything back. Runs in a Celery task or straight from the command line."""

import logging
import re
import secrets
import socket
import time
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import DatabaseError, InterfaceError
from django.db.models import Manager

from dashboard.experiments import claiming, lifecycle, live
from dashboard.experiments.models import Cell, Environment, Experiment, Probe, Trial
from dashboard.experiments.rights import why_not_run
from dashboard.findings import conclusion
from dashboard.fleet import leases
from dashboard.fleet.models import Worker
from dashboard.retry import LOST, patient
from dashboard.servers.models import Server
from workers.bench import sysbench
from workers.bench.dataset import device_bytes, image_for
from workers.bench.load import Gather, Second
from workers.bench.measure import Listener, Prepared, measure
from workers.bench.plan import Plan
from workers.bench.stage import AttachedStage, SandboxStage, Stage
from workers.bench.stand import Stand
from workers.conducting import assignment
from workers.conducting.crash_trials import Watch, crash_all
from workers.errors import Cancelled, DurascopeError, PlanError, SandboxError, ServerError, TogetherError, reason
from workers.host import environment, shortages
from workers.metrics import device_probe, fsync_sweep
from workers.sandbox.builds import find
from workers.sandbox.devices import require_disks
from workers.sandbox.promise import compare
from workers.sandbox.storage import parse
from workers.together.conductor import Together
from workers.upkeep import conducted, restores
from workers.upkeep.heartbeat import pulse

log = logging.getLogger(__name__)
# Variables that count on by themselves are no part of an environment, and those that hold a secret nobody's business.
LEFT_OUT = re.compile(
    r"^(gtid_binlog_|gtid_current_pos|gtid_executed|gtid_purged|gtid_slave_pos|timestamp)"
    r"|(_password|_passphrase|_auth|_token|_filekey|_secret|_secret_key|_provider_options)$"
)
FINISH_AGAIN_S = (1, 5, 15, 60)
PROBES = 3  # of a simulated device, at most
ASK_EVERY_S = 0.5  # how often the database is asked whether to stop


def conduct(experiment_id: int, worker: Worker) -> Experiment | None:
    """Run a queued experiment to its end; None when it was not ours to run (not queued, its host is busy, another
    worker must do it, or this one is at it)."""
    with conducted.once(experiment_id) as is_first:
        return _conduct(experiment_id, worker) if is_first else None


def _conduct(experiment_id: int, worker: Worker) -> Experiment | None:
    try:
        plan = Plan.from_dict(Experiment.objects.get(pk=experiment_id).plan)
    except PlanError as broken:  # stored by another version: it would be rung for again and again
        lifecycle.refuse(experiment_id, broken)
        return None
    servers = Server.objects.in_bulk([target.server_id for target in plan.targets])
    if not assignment.is_ours(experiment_id, plan, servers, worker):
        return None
    experiment = lifecycle.begin(experiment_id, worker, _hosts(plan, servers))
    if experiment is None:
        assignment.pass_on(experiment_id, plan, servers, worker)
        return None
    state, failure = Experiment.State.FAILED, DurascopeError("The worker ended before the experiment did.")
    try:
        state, failure = _Conductor(experiment, worker, plan, servers).run()
    finally:
        _finish(experiment, state, failure)
    _remember(experiment)
    return experiment


@patient
def _remember(experiment: Experiment) -> None:
    """What was found; worked out anew where the database was away, so that no list goes without it."""
    experiment.refresh_from_db()
    if experiment.is_over:
        conclusion.remember(experiment)


def _hosts(plan: Plan, servers: dict[int, Server]) -> set[str]:
    """All that nobody else may measure with meanwhile; of a load from several workers also this host, and each joiner
    takes its own."""
    own = {leases.of_worker(socket.gethostname())} if plan.load_workers > 1 else set()
    return own.union(*map(leases.hosts_of, servers.values()))


def _finish(experiment: Experiment, state: str, failure: DurascopeError | None) -> None:
    """A database that is locked for a while must not leave the experiment running for ever. One that is away for
    longer does: then `tend` ends what is said to run here and does not."""
    for wait_s in FINISH_AGAIN_S:
        try:
            if not lifecycle.finish(experiment, state, *((failure.message, failure.mend) if failure else ())):
                log.warning("experiment %s was taken from this worker before it ended", experiment.pk)
            return
        except (DatabaseError, InterfaceError, OSError):
            log.exception("the end of experiment %s was not stored; trying again", experiment.pk)
            time.sleep(wait_s)


class _Conductor:
    """The state of one experiment while it runs."""

    def __init__(self, experiment: Experiment, worker: Worker, plan: Plan, servers: dict[int, Server]) -> None:
        self._experiment, self._worker, self._plan, self._servers = experiment, worker, plan, servers
        self._cells = {cell.position: cell for cell in plan.cells()}
        self._stages: dict[Stand, Stage] = {}
        self._prepared: dict[Stand, Prepared] = {}
        self._probes: dict[Stand, Probe | None] = {}
        self._swept: set[tuple[str, int | None]] = set()  # devices whose fsync was measured by size
        self._hosts: dict[Stand, dict] = {}
        self._asked_at, self._stop = 0.0, False

    def run(self) -> tuple[str, DurascopeError | None]:
        """The experiment's last state and, unless it is done, why."""
        try:
            outcome = self._measure_and_crash()
        except Cancelled:
            outcome = self._stopped()
        except DurascopeError as failure:
            outcome = (Experiment.State.FAILED, failure)
        except LOST as away:
            log.exception("experiment %s", self._experiment.pk)
            told = f"Durascope's own database did not answer: {str(away).strip()}."
            outcome = (Experiment.State.FAILED, DurascopeError(told, shortages.KEPT))
        except OSError as failure:
            log.exception("experiment %s", self._experiment.pk)
            outcome = (Experiment.State.FAILED, shortages.told(failure))
        except Exception as failure:
            log.exception("experiment %s", self._experiment.pk)
            outcome = (Experiment.State.FAILED, DurascopeError(f"Unexpected: {reason(failure)}"))
        owed = self._close()
        return outcome if owed is None else (Experiment.State.FAILED, owed)

    def _stopped(self) -> tuple[str, DurascopeError]:
        if pulse.stopping.is_set():
            mend = "What was measured is kept. Resume goes on with the next cell."
            return Experiment.State.INTERRUPTED, DurascopeError("The worker was stopped in mid-run.", mend)
        return Experiment.State.CANCELLED, DurascopeError("Cancelled.", "What was measured is kept.")

    @patient
    def _must_be_allowed(self) -> None:
        """Asked before the first step and before each cell and trial: whoever queued it may have lost the right."""
        if lost := why_not_run(self._experiment):
            mend = "What was measured is kept. Another operator can resume it; it then runs by their right."
            raise PlanError(lost, mend)

    def _must_be_confirmed(self) -> None:
        """A server may have been labelled production since the experiment was planned, or before it is resumed."""
        labelled = [server.name for server in self._servers.values() if server.label == Server.Label.PRODUCTION]
        if labelled and not self._experiment.production_confirmed:
            raise PlanError(
                f"{labelled[0]} is labelled production, and this experiment was not confirmed for that.",
                "Nothing was done there. Plan it anew and confirm it.",
            )

    def _must_be_possible(self) -> None:
        """Every build and device is looked for before any of them is used. Raises SandboxError."""
        for stand in (*self._stands(self._experiment.cells), *self._stands(self._experiment.trials)):
            if stand.build:
                find(stand.build)
            if stand.storage:
                require_disks()

    @patient
    def _stands(self, rows: Manager) -> list[Stand]:
        """Those on which something is still to be done, each once."""
        return list(dict.fromkeys(map(self._stand, rows.filter(state=Cell.State.WAITING))))

    def _stand(self, row: Cell | Trial) -> Stand:
        return Stand.of(row.server_id, self._servers[row.server_id].build, self._plan.variant(row.variant))

    def _title(self, stand: Stand) -> str:
        server = self._servers[stand.server_id]
        return stand.titled(server.name, server.build)

    def _measure_and_crash(self) -> tuple[str, DurascopeError | None]:
        self._must_be_allowed()
        self._must_be_confirmed()
        self._must_be_possible()
        self._measure_all()
        if owed := self._close():  # before anything is crashed: idle servers would disturb the trials
            return Experiment.State.FAILED, owed
        say = partial(lifecycle.say, self._experiment)
        watch = Watch(say, self._cancelled, self._ended_as, self._must_be_allowed)
        crash_all(self._experiment, self._plan, self._servers, watch)
        return Experiment.State.DONE, None

    @staticmethod
    def _ended_as() -> str:
        """The state of a cell or trial that was stopped."""
        return Cell.State.INTERRUPTED if pulse.stopping.is_set() else Cell.State.CANCELLED

    def _measure_all(self) -> None:
        for stand in self._stands(self._experiment.cells):
            if self._cancelled():
                raise Cancelled("Stopped while servers were made ready.")
            self._set_up(stand)
        while cell := self._next_cell():
            self._measure(cell)

    def _next_cell(self) -> Cell | None:
        if claiming.waits(self._experiment.cells):
            self._must_be_allowed()
        return lifecycle.claim(self._experiment)

    def _set_up(self, stand: Stand) -> None:
        lifecycle.say(self._experiment, f"making {self._title(stand)} ready")
        stage = self._stages[stand] = self._stage(stand)
        self._prepared[stand] = Prepared()
        folder = stage.data_folder()
        self._hosts[stand] = {
            "host": environment.host(),
            "storage": environment.storage(folder) | {"profile": stand.storage or None} if folder else None,
            "sysbench": sysbench.version(),
        }
        self._probes[stand] = self._probe(stand, folder)

    def _stage(self, stand: Stand) -> Stage:
        server = self._servers[stand.server_id]
        if server.is_sandbox:
            root = Path(settings.SANDBOX_ROOT)
            build, user = find(stand.build), settings.SANDBOX_USER
            data = image_for(root, build, self._plan, user)
            storage, room = parse(stand.storage) if stand.storage else None, device_bytes(self._plan)
            return SandboxStage(root, build, server.name, user, data=data, storage=storage, device_bytes=room)
        must_hold = partial(claiming.must_hold, self._experiment)
        restores.pay(
            server, must_hold
        )  # an interrupted attempt may have left its values: they are not the server's own
        return AttachedStage(
            server.target(),
            f"{self._experiment.pk}_{secrets.token_hex(4)}",
            lambda kind, name, old: restores.owe(server, self._experiment, kind, name, old),
            partial(restores.paid, server, must_hold),
            must_hold,
        )

    def _probe(self, stand: Stand, folder: Path | None) -> Probe | None:
        if folder is None:
            return None
        lifecycle.say(self._experiment, f"timing fsync on the disk of {self._title(stand)}")
        data: dict[str, Any] = {"build": stand.build, "storage": stand.storage}
        try:
            data |= self._timed(stand, folder)
            logs = self._stages[stand].logs_folder()
            if logs:
                data["logs"] = self._timed_logs(stand, logs)
            if self._is_new_device(stand):
                data["sweep"] = self._swept_by_size(folder)
                if logs:
                    data["logs"]["sweep"] = self._swept_by_size(logs)
        except SandboxError as full:
            data["error"] = str(full)
        return lifecycle.save_probe(self._experiment, stand.server_id, data)

    def _timed(self, stand: Stand, folder: Path) -> dict[str, Any]:
        """A simulated device that was calibrated in a busy moment is calibrated again; what it is in the end is told
        as it is."""
        for attempt in range(PROBES):
            found = device_probe.probe(folder)
            if not stand.storage:
                return asdict(found)
            storage = parse(stand.storage)
            promise = compare(storage, found, "data" if storage.second else "")
            if promise.matches or attempt == PROBES - 1:
                break
            self._stages[stand].calibrate()
        return {**asdict(found), "promise": asdict(promise)}

    def _timed_logs(self, stand: Stand, folder: Path) -> dict[str, Any]:
        """The second device of a kind, which shares the calibration of the first and is told as it is."""
        storage, found = parse(stand.storage), device_probe.probe(folder)
        return {"holds": storage.second, **asdict(found), "promise": asdict(compare(storage, found, storage.second))}

    def _swept_by_size(self, folder: Path) -> dict[str, Any]:
        load_s = self._plan.size * self._plan.measure_s
        return asdict(fsync_sweep.sweep(folder, seconds=fsync_sweep.seconds_for(load_s)))

    def _is_new_device(self, stand: Stand) -> bool:
        """Sandboxes of every build share the worker's disk, or devices of the same profile."""
        device = (stand.storage, None if self._servers[stand.server_id].is_sandbox else stand.server_id)
        known = device in self._swept
        self._swept.add(device)
        return not known

    def _measure(self, row: Cell) -> None:
        cell = self._cells[row.position]
        stand = self._stand(row)
        try:
            stage, prepared = self._stages[stand], self._prepared[stand]
            done = measure(stage, prepared, self._plan, cell, self._listener(row), self._gather(row))
        except Cancelled:
            claiming.end(row, self._ended_as())
            raise
        except (ServerError, SandboxError, TogetherError) as failure:
            claiming.end(row, Cell.State.FAILED, failure)
            raise  # the server or a worker is gone or refuses: what is left stays waiting and can be resumed
        except DurascopeError as failure:
            claiming.end(row, Cell.State.FAILED, failure)
            return
        lifecycle.save_run(row, done, self._environment(stand), self._probes[stand])

    def _gather(self, row: Cell) -> Gather | None:
        count = self._plan.load_workers
        return Together(row, self._worker, count, partial(lifecycle.say, self._experiment)) if count > 1 else None

    def _environment(self, stand: Stand) -> Environment:
        facts = self._stages[stand].facts
        server = {
            "flavour": facts.flavour,
            "version": facts.version_text,
            "engines": dict(facts.engines),
            "variables": {name: value for name, value in facts.variables.items() if not LEFT_OUT.search(name)},
        }
        return lifecycle.environment_row({**self._hosts[stand], "server": server})

    def _listener(self, row: Cell) -> Listener:
        told = live.Telling(self._experiment.pk, live.mark(row.started_at))

        def second(sample: Second, warming: bool) -> None:
            told.tell((round(sample.t_s, 1), round(sample.tps, 1), sample.p95_ms), warming)

        return Listener(lambda phase: lifecycle.say(self._experiment, phase), second, self._cancelled)

    def _cancelled(self) -> bool:
        now = time.monotonic()
        if pulse.stopping.is_set():
            return True
        if not self._stop and now - self._asked_at > ASK_EVERY_S:
            self._asked_at = now
            self._stop = lifecycle.is_cancelled(self._experiment)
        return self._stop

    def _close(self) -> DurascopeError | None:
        """Close every stage that is open; the first failure is returned, its debts stay written down for `tend`."""
        first: DurascopeError | None = None
        while self._stages:
            stand, stage = self._stages.popitem()
            name = self._title(stand)
            try:
                lifecycle.say(self._experiment, f"putting {name} back as it was")
                stage.close()
            except DurascopeError as failure:
                first = first or failure
            except OSError as failure:
                log.exception("putting %s back", name)
                lacks = shortages.told(failure)
                mend = f"What is owed to it is on its page; a worker tries again. {lacks.mend}"
                first = first or DurascopeError(f"{name} could not be put back. {lacks.message}", mend)
            except Exception as failure:  # the other stages are closed all the same
                log.exception("putting %s back", name)
                says = f"{name} could not be put back: {reason(failure)}."
                first = first or DurascopeError(says, "What is owed to it is on its page; a worker tries again.")
        return first
