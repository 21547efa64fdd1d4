"""The time of one flush on the device under the data: the least time of a commit that waits for it."""

from collections.abc import Iterable, Mapping, Sequence

from dashboard.charts.chart import NOT_AVAILABLE, Chart, ChartSeries, Dot, Row, described
from dashboard.charts.fsync_model import WAYS
from dashboard.findings.looks import COLOURS
from dashboard.findings.probed import ProbedDevice
from workers.metrics.device_probe import FlushTimes


def probe(devices: Iterable[ProbedDevice], names: Mapping[int, str]) -> Chart:
    """The last probe of each device. `names`: of the servers."""
    latest = list({(one.server_id, one.storage): one for one in devices}.values())
    called = {pk: name if len(names) > 1 else "" for pk, name in names.items()}
    drawn = [_series(called[one.server_id], one, n, way) for n, one in enumerate(latest) for way in WAYS]
    series = [one for one in drawn if one.dots]
    promises = "".join(f" {one.promise.says}" for one in latest if one.promise)
    rows = [_row(_name(names[one.server_id], one.storage), flush) for one in latest for flush in one.flushes]
    return described("probe", rows, series, empty="" if series else _why_not(latest), promises=promises)


def _name(*parts: str) -> str:
    return ", ".join(filter(None, parts))


def _series(server: str, device: ProbedDevice, n: int, way: str) -> ChartSeries:
    dots = tuple(Dot(flush.size_bytes, flush.p50_ms) for flush in device.flushes if flush.way == way)
    return ChartSeries(_name(server, device.storage, way), n % COLOURS, dots, WAYS[way])


def _row(device: str, one: FlushTimes) -> Row:
    return (device, one.way, one.size_bytes, one.n, one.p50_ms, one.p95_ms, one.p99_ms, one.max_ms)


def _why_not(latest: Sequence[ProbedDevice]) -> str:
    errors = [one.error for one in latest if one.error]
    return " ".join(errors) or f"A device probe is {NOT_AVAILABLE}: the data is not on the worker's host."
