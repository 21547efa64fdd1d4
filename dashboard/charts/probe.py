"""What one flush costs on the device under the data: the floor of every commit that waits for it."""

from collections.abc import Mapping, Sequence
from typing import Any

from dashboard.charts.chart import NOT_AVAILABLE, Axis, Chart, Dot, Series, Table
from dashboard.findings.looks import COLOURS
from dashboard.findings.shown import Shown

Place = tuple[int, str]  # server, and the storage that its sandbox lies on
WAYS = {"append": False, "overwrite": True}  # way of writing -> dashed
COLUMNS = (
    ("server", "text"), ("way", "text"), ("bytes", "whole"), ("writes", "whole"), ("p50", "ms"), ("p95", "ms"),
    ("p99", "ms"), ("max", "ms"),
)  # fmt: skip


def probe(shown: Shown) -> Chart:
    latest = _latest(shown)
    flushes = {place: data.get("flushes", []) for place, data in latest.items()}
    drawn = [_series(shown, n, *one, way) for n, one in enumerate(flushes.items()) for way in WAYS]
    series = tuple(one for one in drawn if one.dots)
    return Chart(
        key="probe",
        title="The device: write and fdatasync",
        kind="scaling",
        x=Axis("bytes written", "B", scale="log2"),
        y=Axis("median time of write and fdatasync", "ms", scale="log", can_toggle_log=True),
        table=Table(COLUMNS, tuple(_row(_called(shown, place), f) for place, fs in flushes.items() for f in fs)),
        series=series,
        empty="" if series else _why_not(latest),
        source="device probe" if series else "",
        note=" ".join(
            ["Measured once per device before the first cell; appending grows the file.", *_promises(latest)]
        ),
    )


def _latest(shown: Shown) -> dict[Place, Mapping[str, Any]]:
    """The last probe of each device."""
    asked = [probe for probe in shown.probes if shown.server_id in (None, probe[0])]
    return {(server_id, data.get("storage", "")): data for server_id, data in asked}


def _called(shown: Shown, place: Place) -> str:
    return ", ".join(filter(None, (shown.names[place[0]], place[1])))


def _promises(latest: Mapping[Place, Mapping[str, Any]]) -> list[str]:
    """Whether simulated devices are what they say."""
    return [data["promise"]["says"] for data in latest.values() if "promise" in data]


def _series(shown: Shown, n: int, place: Place, flushes: Sequence[Mapping[str, Any]], way: str) -> Series:
    name = ", ".join(filter(None, (shown.names[place[0]] if len(shown.names) > 1 else "", place[1], way)))
    dots = tuple(Dot(flush["size_bytes"], flush["p50_ms"]) for flush in flushes if flush["way"] == way)
    return Series(name, n % COLOURS, dots, WAYS[way])


def _row(server: str, flush: Mapping[str, Any]) -> tuple[Any, ...]:
    return (server, *(flush[name] for name in ("way", "size_bytes", "n", "p50_ms", "p95_ms", "p99_ms", "max_ms")))


def _why_not(latest: Mapping[Place, Mapping[str, Any]]) -> str:
    errors = [data["error"] for data in latest.values() if data.get("error")]
    return " ".join(errors) or f"A device probe is {NOT_AVAILABLE}: the data is not on the worker's host."
