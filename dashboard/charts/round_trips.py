"""Throughput by the round trip to the other servers, measured and by the model of workers.analysis.round_trip."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from dashboard.charts.chart import Chart, ChartSeries, Dot, Row, described
from dashboard.findings.lines import VariantLine
from dashboard.findings.point import Point
from dashboard.text.numbers import at
from workers.analysis.round_trip import predicted_per_s
from workers.bench.plan import Plan, Variant
from workers.errors import SandboxError
from workers.topology.topology import Topology, parse

STEPS = 24  # of the curve


@dataclass(frozen=True)
class DelayedLine:
    """Variants that differ in their round trip only: its ms -> the line and its point. One of them has 0 ms."""

    points: Mapping[float, tuple[VariantLine, Point]]

    @property
    def first(self) -> VariantLine:
        return self.points[0.0][0]

    def model(self, rtt_ms: float) -> float:
        without = self.points[0.0][1]
        return predicted_per_s(without.tps, without.threads, rtt_ms)


def round_trips(lines: Sequence[VariantLine], plan: Plan, threads: int, counts: str) -> Chart:
    drawn = _delayed(lines, plan, threads)
    rows = [row for one in drawn for row in _rows(one)]
    series = [series for one in drawn for series in _series(one)]
    return described("round-trips", rows, series, threads=at(threads), counts=counts)


def _delayed(lines: Sequence[VariantLine], plan: Plan, threads: int) -> list[DelayedLine]:
    found: dict[object, dict[float, tuple[VariantLine, Point]]] = {}
    variants = {one.name: one for one in plan.variants}
    for line in lines:
        variant, point = variants[line.variant], next((one for one in line.points if one.threads == threads), None)
        if point and point.tps > 0 and (topology := _topology(variant)):
            place = (line.server_id, repr(replace(topology, rtt_ms=0)), repr(_alike(variant)))
            found.setdefault(place, {})[topology.rtt_ms] = line, point
    return [DelayedLine(points) for points in found.values() if 0.0 in points and len(points) > 1]


def _topology(variant: Variant) -> Topology | None:
    """None: it has none, or a newer version wrote it."""
    try:
        return parse(variant.topology) if variant.topology else None
    except SandboxError:
        return None


def _alike(variant: Variant) -> Variant:
    return replace(variant, name="", topology="", settings=dict(sorted(variant.settings.items())))


def _series(one: DelayedLine) -> Iterator[ChartSeries]:
    first, longest = one.first, max(one.points)
    places = [longest * step / STEPS for step in range(STEPS + 1)]
    curve = tuple(Dot(float(f"{place:.4g}"), one.model(place)) for place in places)
    yield ChartSeries(first.name, first.colour, curve, first.dash, fit=True)
    dots = (Dot(rtt_ms, point.tps, point.lo, point.hi) for rtt_ms, (_, point) in sorted(one.points.items()))
    yield ChartSeries(first.name, first.colour, tuple(dots), first.dash)


def _rows(one: DelayedLine) -> Iterator[Row]:
    for rtt_ms, (line, point) in sorted(one.points.items()):
        model = one.model(rtt_ms)
        yield (line.name, rtt_ms, point.tps, point.lo, point.hi, model, point.tps / model)
