"""Servers made ready to be measured, and put back.

A server is put back whatever raises: `put_back` is told of each stage before anything is done on it. What cannot be
put back now is written down already (workers.upkeep.restores), and housekeeping tries again.
"""

import logging
import secrets
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from django.conf import settings

from dashboard.installation.retry import LOST
from dashboard.records.experiments import storing_runs
from dashboard.records.experiments.environment import EnvironmentFacts
from dashboard.records.experiments.models import Probe
from workers.bench import sysbench
from workers.bench.dataset import device_bytes, image_for
from workers.bench.measure import LoadedTables
from workers.bench.stage import AttachedStage, SandboxStage, Stage
from workers.bench.stage_key import StageKey
from workers.conducting.job import Job
from workers.errors import DurascopeError, SandboxError, reason
from workers.host import environment, shortages
from workers.metrics import device_probe, fsync_sweep
from workers.sandbox.promise import compare
from workers.sandbox.storage import Storage, parse
from workers.topology.topology import parse as parse_topology
from workers.upkeep import restores

log = logging.getLogger(__name__)
Keep = Callable[[str, Stage], None]
PROBES = 3  # of a simulated device, at most
TRIED_AGAIN = "The server's page lists the pending restores; a worker tries again."


@dataclass(frozen=True)
class Ready:
    """A server that is ready: made once, used for all cells of its key. `place` is the host that measures."""

    key: StageKey
    stage: Stage
    prepared: LoadedTables
    place: EnvironmentFacts
    probe: Probe | None


def stage_of(job: Job, key: StageKey) -> Stage:
    server = job.servers[key.server_id]
    if server.is_sandbox:
        root, user, build = Path(settings.SANDBOX_ROOT), settings.SANDBOX_USER, job.ports.find(key.build)
        data = image_for(root, build, job.plan, user)
        storage, room = parse(key.storage) if key.storage else None, device_bytes(job.plan)
        topology = parse_topology(key.topology) if key.topology else None
        return SandboxStage(
            root, build, server.name, user, data=data, storage=storage, device_bytes=room, topology=topology
        )
    restores.restore(server, job.require_claim)  # an interrupted attempt may have left its own values
    return AttachedStage(
        server.target(),
        f"{job.experiment.pk}_{secrets.token_hex(4)}",
        partial(restores.note, server, job.experiment),
        partial(restores.done, server, job.require_claim),
        job.require_claim,
    )


def make_ready(job: Job, key: StageKey, keep: Keep, earlier: Collection[Ready]) -> Ready:
    """`keep` is told of the stage as soon as there is one."""
    title = job.title(key)
    job.say(f"making {title} ready")
    stage = job.ports.stage(job, key)
    keep(title, stage)
    folder = stage.data_folder()
    storage = environment.storage(folder, key.storage or None) if folder else None
    place = EnvironmentFacts(environment.host(), storage, sysbench.version())
    probe = _probe(job, key, stage, folder, earlier) if folder else None
    return Ready(key, stage, LoadedTables(), place, probe)


@contextmanager
def put_back(job: Job) -> Iterator[Keep]:
    """Yields `keep`. At the end every stage that it was told of is closed; the first failure to do so is raised, also
    in place of what raised before: it is what a person must know."""
    kept: list[tuple[str, Stage]] = []
    try:
        yield lambda title, stage: kept.append((title, stage))
    finally:
        failures = [failure for title, stage in reversed(kept) if (failure := _close(job, title, stage))]
        if failures:
            raise failures[0]


def _close(job: Job, title: str, stage: Stage) -> DurascopeError | None:
    """Why the server is not as it was."""
    with suppress(*LOST):
        job.say(f"restoring {title}")
    try:
        stage.close()
    except DurascopeError as failure:
        return failure
    except OSError as failure:
        log.exception("putting %s back", title)
        lacks = shortages.message(failure)
        return DurascopeError(f"{title} could not be restored. {lacks.message}", f"{TRIED_AGAIN} {lacks.fix}")
    except Exception as failure:
        log.exception("putting %s back", title)
        return DurascopeError(f"{title} could not be restored: {reason(failure)}.", TRIED_AGAIN)
    return None


def _probe(job: Job, key: StageKey, stage: Stage, folder: Path, earlier: Collection[Ready]) -> Probe:
    """Fsyncs are timed by size once on each device: it takes seconds."""
    job.say(f"timing fsync on the disk of {job.title(key)}")
    swept = {_device(job, one.key) for one in earlier if one.probe and "sweep" in one.probe.data}
    sweep_s = 0.0 if _device(job, key) in swept else fsync_sweep.seconds_for(job.plan.size * job.plan.measure_s)
    times = device_times(stage, folder, key.storage, sweep_s)
    found = {"build": key.build, "storage": key.storage, **times}
    return storing_runs.save_probe(job.experiment, key.server_id, found)


def _device(job: Job, key: StageKey) -> tuple[str, int | None]:
    """Sandboxes of every build share the worker's disk, or devices of the same profile."""
    return key.storage, None if job.servers[key.server_id].is_sandbox else key.server_id


def device_times(stage: Stage, folder: Path, profile: str, sweep_s: float) -> dict[str, object]:
    """`folder` lies on the device; `profile` is the storage that it simulates, "" for none. With `sweep_s` fsyncs are
    timed by size as well, for so long. What a device has no room for is left out, and "error" says why."""
    storage = parse(profile) if profile else None
    data: dict[str, object] = {}
    try:
        data |= _timed(stage, folder, storage)
        logs = stage.logs_folder() if storage else None
        if storage and logs:
            found = device_probe.probe(logs)  # it shares the calibration of the first and is told as it is
            promise = compare(storage, found, storage.second)
            on_logs: dict[str, object] = {"holds": storage.second, **asdict(found), "promise": asdict(promise)}
            data["logs"] = on_logs
        if sweep_s:
            data["sweep"] = asdict(fsync_sweep.sweep(folder, seconds=sweep_s))
            if storage and logs:
                on_logs["sweep"] = asdict(fsync_sweep.sweep(logs, seconds=sweep_s))
    except SandboxError as full:
        data["error"] = str(full)
    return data


def _timed(stage: Stage, folder: Path, storage: Storage | None) -> dict[str, object]:
    """A simulated device that was calibrated in a busy moment is calibrated again; what it is in the end is told as it
    is."""
    found = device_probe.probe(folder)
    if storage is None:
        return asdict(found)
    files = "data" if storage.second else ""
    for _ in range(PROBES - 1):
        if compare(storage, found, files).matches:
            break
        stage.calibrate()
        found = device_probe.probe(folder)
    return {**asdict(found), "promise": asdict(compare(storage, found, files))}
