"""What an fsync costs on the device that a server's data lie on, as it is stored with each run."""

from dataclasses import asdict
from pathlib import Path

from workers.bench.stage import Stage
from workers.errors import SandboxError
from workers.metrics import device_probe, fsync_sweep
from workers.sandbox.promise import compare
from workers.sandbox.storage import Storage, parse

PROBES = 3  # of a simulated device, at most


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
