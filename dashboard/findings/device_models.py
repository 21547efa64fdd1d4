"""The fsync model of each device that was swept by size; kept with the analysis."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from dashboard.findings.probed import ProbedDevice
from workers.analysis.fsync_model import FsyncModel, SizeSample, fit
from workers.analysis.not_computable import NotComputable
from workers.metrics.fsync_sweep import SweepPoint


@dataclass(frozen=True)
class DeviceModel:
    """`storage` "" is the disk of the worker's host. `ways`: append and overwrite."""

    server_id: int
    storage: str
    ways: Mapping[str, FsyncModel | NotComputable]


def devices(probed: Iterable[ProbedDevice]) -> tuple[DeviceModel, ...]:
    """In the order of the probes: the last sweep of each device."""
    swept = {(one.server_id, one.storage): one.sweep for one in probed if one.sweep}
    return tuple(DeviceModel(server, storage, _ways(sweep)) for (server, storage), sweep in swept.items())


def _ways(sweep: Sequence[SweepPoint]) -> dict[str, FsyncModel | NotComputable]:
    times: dict[str, list[SizeSample]] = {}
    for one in sweep:
        times.setdefault(one.way, []).append(SizeSample(one.size_bytes, one.times_ms))
    return {way: fit(points) for way, points in times.items()}
