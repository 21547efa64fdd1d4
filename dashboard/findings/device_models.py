"""The fsync model of each device that was measured by size: plain JSON, kept with the analysis.

[{"server_id", "storage",                                   # "" is the disk of the worker's host
  "ways": {"append": {"k_ms", "mb_per_s": {"value", "lo", "hi"},   # a rate of None: bytes cost nothing to be seen
                      "half_bytes", "follows", "rounds",
                      "residuals": [{"size_bytes", "median_ms", "line_ms", "share": {"value", "lo", "hi"}}]}
                     | {"why"}, "overwrite": ...}}]
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from workers.analysis import fsync_model
from workers.analysis.refused import Refused


def devices(probes: Iterable[tuple[int, Mapping[str, Any]]]) -> list[dict[str, Any]]:
    """From (server, probe) in the order they were made: the last sweep of each device."""
    swept = {(server, data.get("storage", "")): data["sweep"] for server, data in probes if data.get("sweep")}
    return [
        {"server_id": server, "storage": storage, "ways": _ways(sweep)} for (server, storage), sweep in swept.items()
    ]


def _ways(sweep: Mapping[str, Any]) -> dict[str, Any]:
    times: dict[str, list[fsync_model.SizeTimes]] = {}
    for one in sweep["times"]:
        times.setdefault(one["way"], []).append(fsync_model.SizeTimes(one["size_bytes"], tuple(one["times_ms"])))
    return {way: _told(fsync_model.fit(points)) for way, points in times.items()}


def _told(model: fsync_model.FsyncModel | Refused) -> dict[str, Any]:
    if isinstance(model, Refused):
        return asdict(model)
    rate = {name: _finite(value) for name, value in asdict(model.mb_per_s).items()}
    return asdict(model) | {"mb_per_s": rate, "half_bytes": _finite(model.half_bytes)}


def _finite(value: float | None) -> float | None:
    """JSON knows no infinity."""
    return value if value is not None and math.isfinite(value) else None
