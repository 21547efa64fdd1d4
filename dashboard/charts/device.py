"""A device's fsync by size: the line K + N/R through the measured times, and their distance from it; and the time of
one flush under the data, which is the least time of a commit that waits for it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from dashboard.charts.chart import NOT_AVAILABLE, Chart, ChartSeries, Dot, Row, described
from dashboard.findings.fitted import DeviceModel
from dashboard.findings.looks import COLOURS
from dashboard.findings.probed import ProbedDevice
from workers.analysis.fsync_model import FsyncModel
from workers.analysis.not_computable import NotComputable
from workers.analysis.statistics import Estimate
from workers.metrics.device_probe import FlushTimes

WAYS = {"append": False, "overwrite": True}  # way of writing -> dashed


@dataclass(frozen=True)
class Fitted:
    name: str
    way: str
    colour: int
    model: FsyncModel | NotComputable


def fsync_model(devices: Sequence[DeviceModel], names: Mapping[int, str]) -> Chart:
    """`names`: of the servers."""
    fitted = list(_fitted(devices, names))
    series = [one for each in fitted if isinstance(each.model, FsyncModel) for one in _drawn(each, each.model)]
    return described("fsync-model", map(_row, fitted), series)


def fsync_residuals(devices: Sequence[DeviceModel], names: Mapping[int, str]) -> Chart:
    fitted = [(each, each.model) for each in _fitted(devices, names) if isinstance(each.model, FsyncModel)]
    rows = [
        (each.name, each.way, one.size_bytes, one.median_ms, one.line_ms, *_ends(one.share))
        for each, model in fitted
        for one in model.residuals
    ]
    return described("fsync-residuals", rows, [_off(each, model) for each, model in fitted])


def _fitted(devices: Sequence[DeviceModel], names: Mapping[int, str]) -> Iterator[Fitted]:
    several = len({one.server_id for one in devices}) > 1
    for nth, device in enumerate(devices):
        name = f"{device.storage or 'disk'}{f' of {names[device.server_id]}' if several else ''}"
        for way, model in device.ways.items():
            yield Fitted(name, way, (len(WAYS) * nth + list(WAYS).index(way)) % COLOURS, model)


def _drawn(each: Fitted, model: FsyncModel) -> tuple[ChartSeries, ChartSeries]:
    name, dash = f"{each.name}, {each.way}", WAYS[each.way]
    sizes = [one.size_bytes for one in model.residuals]
    doubled = (sizes[0] << n for n in range((sizes[-1] // sizes[0]).bit_length()))
    line = tuple(Dot(size, model.ms(size)) for size in doubled)
    points = tuple(Dot(one.size_bytes, one.median_ms) for one in model.residuals)
    return ChartSeries(name, each.colour, line, dash, fit=True), ChartSeries(name, each.colour, points, dash)


def _off(each: Fitted, model: FsyncModel) -> ChartSeries:
    dots = tuple(
        Dot(one.size_bytes, 100 * one.share.value, _percent(one.share.lo), _percent(one.share.hi))
        for one in model.residuals
    )
    return ChartSeries(f"{each.name}, {each.way}", each.colour, dots, WAYS[each.way])


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def _ends(one: Estimate) -> tuple[float | None, float | None, float | None]:
    return one.value, one.lo, one.hi


def _mb_per_s(ms_per_byte: float | None) -> float | None:
    """None: not known, or infinite."""
    return 1 / (1000 * ms_per_byte) if ms_per_byte else None


def _row(each: Fitted) -> Row:
    model = each.model
    if isinstance(model, NotComputable):
        return (each.name, each.way, *([None] * 10), model.why)
    against = model.ms(100_000) / model.k_ms.value if model.k_ms.value else None
    slope = model.ms_per_byte
    remark = "" if slope.value else "the size had no measurable effect"
    ends = (*_ends(model.k_ms), *map(_mb_per_s, (slope.value, slope.hi, slope.lo)))
    return (each.name, each.way, *ends, model.half_bytes, against, model.rounds, model.follows, remark)


def probe(devices: Iterable[ProbedDevice], names: Mapping[int, str]) -> Chart:
    """The last probe of each device. `names`: of the servers."""
    latest = list({(one.server_id, one.storage): one for one in devices}.values())
    called = {pk: name if len(names) > 1 else "" for pk, name in names.items()}
    drawn = [_flushes(called[one.server_id], one, n, way) for n, one in enumerate(latest) for way in WAYS]
    series = [one for one in drawn if one.dots]
    promises = "".join(f" {one.promise.says}" for one in latest if one.promise)
    rows = [_probe_row(_called(names[one.server_id], one.storage), flush) for one in latest for flush in one.flushes]
    return described("probe", rows, series, empty="" if series else _why_not(latest), promises=promises)


def _called(*parts: str) -> str:
    return ", ".join(filter(None, parts))


def _flushes(server: str, device: ProbedDevice, n: int, way: str) -> ChartSeries:
    dots = tuple(Dot(flush.size_bytes, flush.p50_ms) for flush in device.flushes if flush.way == way)
    return ChartSeries(_called(server, device.storage, way), n % COLOURS, dots, WAYS[way])


def _probe_row(device: str, one: FlushTimes) -> Row:
    return (device, one.way, one.size_bytes, one.n, one.p50_ms, one.p95_ms, one.p99_ms, one.max_ms)


def _why_not(latest: Sequence[ProbedDevice]) -> str:
    errors = [one.error for one in latest if one.error]
    return " ".join(errors) or f"A device probe is {NOT_AVAILABLE}: the data is not on the worker's host."
