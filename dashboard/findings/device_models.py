"""The fsync model of each device that was measured by size; kept with the analysis."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from workers.analysis import fsync_model
from workers.analysis.not_computable import NotComputable
from workers.analysis.statistics import Estimate


@dataclass(frozen=True)
class Rate:
    """None where it is infinite: bytes cost nothing that could be seen."""

    value: float | None
    lo: float | None
    hi: float | None


@dataclass(frozen=True)
class Way:
    """`half_bytes`: from so many bytes on, half of the time is transfer."""

    k_ms: Estimate
    mb_per_s: Rate
    half_bytes: float | None
    follows: fsync_model.Follows
    rounds: int
    residuals: tuple[fsync_model.Residual, ...]

    def ms(self, size_bytes: float) -> float:
        """Time on the line."""
        rate = self.mb_per_s.value
        return self.k_ms.value + (size_bytes / 1000 / rate if rate else 0)


@dataclass(frozen=True)
class Device:
    """`storage` "" is the disk of the worker's host. `ways`: append and overwrite."""

    server_id: int
    storage: str
    ways: Mapping[str, Way | NotComputable]


def devices(probes: Iterable[tuple[int, Mapping[str, Any]]]) -> tuple[Device, ...]:
    """From (server, probe) in the order they were made: the last sweep of each device."""
    swept = {(server, data.get("storage", "")): data["sweep"] for server, data in probes if data.get("sweep")}
    return tuple(Device(server, storage, _ways(sweep)) for (server, storage), sweep in swept.items())


def _ways(sweep: Mapping[str, Any]) -> dict[str, Way | NotComputable]:
    times: dict[str, list[fsync_model.SizeSample]] = {}
    for one in sweep["times"]:
        times.setdefault(one["way"], []).append(fsync_model.SizeSample(one["size_bytes"], tuple(one["times_ms"])))
    return {way: _way(fsync_model.fit(points)) for way, points in times.items()}


def _way(model: fsync_model.FsyncModel | NotComputable) -> Way | NotComputable:
    if isinstance(model, NotComputable):
        return model
    rate = model.mb_per_s
    return Way(
        k_ms=model.k_ms,
        mb_per_s=Rate(_finite(rate.value), _finite(rate.lo), _finite(rate.hi)),
        half_bytes=_finite(model.half_bytes),
        follows=model.follows,
        rounds=model.rounds,
        residuals=model.residuals,
    )


def _finite(value: float | None) -> float | None:
    """JSON knows no infinity."""
    return value if value is not None and math.isfinite(value) else None
