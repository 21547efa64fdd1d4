"""The fsync model of each device that was swept by size; kept with the analysis."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from dashboard.findings.probed import ProbedDevice
from workers.analysis import fsync_model
from workers.analysis.not_computable import NotComputable
from workers.analysis.statistics import Estimate
from workers.metrics.fsync_sweep import SweepPoint


@dataclass(frozen=True)
class TransferRate:
    """None: infinite. The size had no measurable effect."""

    value: float | None
    lo: float | None
    hi: float | None


@dataclass(frozen=True)
class WayModel:
    """`half_bytes`: from this size on, transfer takes more than half of the time."""

    k_ms: Estimate
    mb_per_s: TransferRate
    half_bytes: float | None
    follows: fsync_model.Follows
    rounds: int
    residuals: tuple[fsync_model.Residual, ...]

    def ms(self, size_bytes: float) -> float:
        """Time on the line."""
        rate = self.mb_per_s.value
        return self.k_ms.value + (size_bytes / 1000 / rate if rate else 0)


@dataclass(frozen=True)
class DeviceModel:
    """`storage` "" is the disk of the worker's host. `ways`: append and overwrite."""

    server_id: int
    storage: str
    ways: Mapping[str, WayModel | NotComputable]


def devices(probed: Iterable[ProbedDevice]) -> tuple[DeviceModel, ...]:
    """In the order of the probes: the last sweep of each device."""
    swept = {(one.server_id, one.storage): one.sweep for one in probed if one.sweep}
    return tuple(DeviceModel(server, storage, _ways(sweep)) for (server, storage), sweep in swept.items())


def _ways(sweep: Sequence[SweepPoint]) -> dict[str, WayModel | NotComputable]:
    times: dict[str, list[fsync_model.SizeSample]] = {}
    for one in sweep:
        times.setdefault(one.way, []).append(fsync_model.SizeSample(one.size_bytes, one.times_ms))
    return {way: _way(fsync_model.fit(points)) for way, points in times.items()}


def _way(model: fsync_model.FsyncModel | NotComputable) -> WayModel | NotComputable:
    if isinstance(model, NotComputable):
        return model
    rate = model.mb_per_s
    return WayModel(
        k_ms=model.k_ms,
        mb_per_s=TransferRate(_finite(rate.value), _finite(rate.lo), _finite(rate.hi)),
        half_bytes=_finite(model.half_bytes),
        follows=model.follows,
        rounds=model.rounds,
        residuals=model.residuals,
    )


def _finite(value: float | None) -> float | None:
    """JSON has no infinity."""
    return value if value is not None and math.isfinite(value) else None
