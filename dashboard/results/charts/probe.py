"""What one flush costs on the device under the data: the floor of every commit that waits for it."""

from collections.abc import Mapping, Sequence
from typing import Any

from dashboard.results.charts.chart import NOT_AVAILABLE, Axis, Chart, Dot, Series, Table
from dashboard.results.shown import PALETTE, Shown

WAYS = {"append": False, "overwrite": True}  # way of writing -> dashed
COLUMNS = (
    ("server", "text"), ("way", "text"), ("bytes", "whole"), ("writes", "whole"), ("p50", "ms"), ("p95", "ms"),
    ("p99", "ms"), ("max", "ms"),
)  # fmt: skip


def probe(shown: Shown) -> Chart:
    latest = {server_id: data for server_id, data in shown.probes if shown.server_id in (None, server_id)}
    flushes = {server_id: data.get("flushes", []) for server_id, data in latest.items()}
    drawn = [_series(shown, *one, way) for one in flushes.items() for way in WAYS]
    series = tuple(one for one in drawn if one.dots)
    return Chart(
        key="probe",
        title="The device: write and fdatasync",
        kind="scaling",
        x=Axis("bytes written", "B", scale="log2"),
        y=Axis("median time of write and fdatasync", "ms", scale="log", can_toggle_log=True),
        table=Table(COLUMNS, tuple(_row(shown.names[server], f) for server, fs in flushes.items() for f in fs)),
        series=series,
        empty="" if series else _why_not(latest),
        source="device probe" if series else "",
        note="Measured once per server before the first cell; appending grows the file, overwriting does not.",
    )


def _series(shown: Shown, server_id: int, flushes: Sequence[Mapping[str, Any]], way: str) -> Series:
    name = way if len(shown.names) == 1 else f"{shown.names[server_id]}, {way}"
    dots = tuple(Dot(flush["size_bytes"], flush["p50_ms"]) for flush in flushes if flush["way"] == way)
    return Series(name, list(shown.names).index(server_id) % PALETTE, dots, WAYS[way])


def _row(server: str, flush: Mapping[str, Any]) -> tuple[Any, ...]:
    return (server, *(flush[name] for name in ("way", "size_bytes", "n", "p50_ms", "p95_ms", "p99_ms", "max_ms")))


def _why_not(latest: Mapping[int, Mapping[str, Any]]) -> str:
    errors = [data["error"] for data in latest.values() if data.get("error")]
    return " ".join(errors) or f"A device probe is {NOT_AVAILABLE}: the data is not on the worker's host."
