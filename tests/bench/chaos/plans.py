"""The experiments during which faults are injected: small, and each of another shape."""

import secrets
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from dashboard.installation.home import PROJECT
from dashboard.local.processes import Child, Program
from dashboard.records.experiments import actions
from dashboard.records.experiments.models import Experiment
from dashboard.records.fleet import task_queue
from dashboard.records.servers.models import Server
from tests.bench.chaos.installation import Installation
from workers.bench.plan import CrashPlan, Plan, Variant, WorkloadChoice
from workers.crash.kinds import CRASH_KINDS
from workers.sandbox.disk.ability import missing as disks_missing

PAIRS = ("1/1", "0/0", "1/0")
LIMIT_S = 60
SET = ("threads=1", "repeats=1", "warmup_s=0", "measure_s=1", "table_rows=200", "trials=0")


@dataclass(frozen=True)
class Started:
    """`terminal`: the command line that conducts it."""

    experiment: Experiment
    terminal: Child | None = None


@dataclass(frozen=True)
class Shape:
    start: Callable[[Installation], Started]
    is_attached: bool = False
    has_sandbox: bool = False
    missing: Callable[[], str] = lambda: ""


def _plan(servers: list[Server], variants: int, threads: tuple[int, ...], storage: str = "", **crash: object) -> Plan:
    return Plan(
        name="chaos",
        targets=tuple(actions.targets(servers)),
        variants=tuple(_variant(pair, storage) for pair in PAIRS[:variants]),
        workloads=(WorkloadChoice("update", "update-by-key", {}),),
        threads=threads,
        repeats=1,
        warmup_s=0,
        measure_s=1,
        table_rows=200,
        seed=secrets.randbelow(2**31),
        crash=CrashPlan(control_trials=0, clients=4, load_s=1.0, **crash),
    )


def _variant(pair: str, storage: str) -> Variant:
    flush, sync = pair.split("/")
    return Variant(pair, {"innodb_flush_log_at_trx_commit": flush, "sync_binlog": sync}, storage=storage)


def _queued(installation: Installation, plan: Plan) -> Started:
    experiment = actions.create(plan, None)
    with suppress(task_queue.QueueDown):  # a worker rings again by itself
        actions.notify_workers(experiment.pk)
    return Started(experiment)


def _attached(installation: Installation) -> Started:
    return _queued(installation, _plan([installation.attached], 3, (1, 2)))


def _proxied(installation: Installation) -> Started:
    return _queued(installation, _plan([installation.proxied], 3, (1, 2)))


def _pinned(installation: Installation) -> Started:
    return _queued(installation, _plan([installation.pinned], 3, (1, 2)))


def _mixed(installation: Installation) -> Started:
    return _queued(installation, _plan([installation.attached, installation.sandbox], 2, (2,)))


def _sandbox(installation: Installation) -> Started:
    return _queued(installation, _plan([installation.sandbox], 2, (1, 2)))


def _storage(installation: Installation) -> Started:
    return _queued(installation, _plan([installation.sandbox], 2, (2,), storage="nvme-plp"))


def _killed(installation: Installation) -> Started:
    return _queued(installation, _plan([installation.sandbox], 2, (2,), kinds=("process-kill",), trials=1))


def _power_lost(installation: Installation) -> Started:
    return _queued(installation, _plan([installation.sandbox], 1, (2,), kinds=("power-loss",), trials=2))


def _command_line(installation: Installation) -> Started:
    """`manage.py experiment run`: conducted by the terminal, not by a worker."""
    last = Experiment.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    chosen = [word for one in SET for word in ("--set", one)]
    argv = ["experiment", "run", "what-does-safety-cost", "--server", installation.attached.name, *chosen]
    log = installation.place.home / "logs" / "terminal.log"
    child = Child(Program("command line", [sys.executable, "manage.py", *argv], PROJECT, log))

    def made() -> Experiment | None:
        return Experiment.objects.filter(pk__gt=last).first()

    if not installation.until(lambda: made() is not None or child.status is not None, LIMIT_S) or not made():
        raise RuntimeError(f"the command line did not start: {log.read_text()[-2000:]}")
    return Started(made(), child)


SHAPES: Mapping[str, Shape] = {
    "attached": Shape(_attached, is_attached=True),
    "attached behind a proxy": Shape(_proxied, is_attached=True),
    "attached, certificate confirmed": Shape(_pinned, is_attached=True),
    "attached and sandbox": Shape(_mixed, is_attached=True, has_sandbox=True),
    "sandbox": Shape(_sandbox, has_sandbox=True),
    "simulated disk": Shape(_storage, has_sandbox=True, missing=disks_missing),
    "process kills": Shape(_killed, has_sandbox=True),
    "power losses": Shape(_power_lost, has_sandbox=True, missing=CRASH_KINDS["power-loss"].missing),
    "command line": Shape(_command_line, is_attached=True),
}
