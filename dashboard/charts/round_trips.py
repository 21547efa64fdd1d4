"""Throughput and latency by the round trip to the other servers, measured and by the model of
workers.analysis.round_trip."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from dashboard.charts.chart import Chart, ChartSeries, Dot, Row, described
from dashboard.findings.lines import VariantLine
from dashboard.findings.point import Point
from dashboard.text.numbers import at
from workers.analysis.anatomy import Anatomy
from workers.analysis.round_trip import predicted_per_s, trips_of
from workers.bench.plan import Plan
from workers.topology.kinds import TOPOLOGY_KINDS, understood

STEPS = 24  # of the curve
PERCENTILES = ("p50", "p99")


@dataclass(frozen=True)
class DelayedLine:
    """Variants that differ in their round trip only: its ms -> the line and its point. One of them has 0 ms. `trips`:
    round trips that a commit waits for, and `most_trips` on average, when clients wait for answers by group."""

    points: Mapping[float, tuple[VariantLine, Point]]
    trips: float
    most_trips: float

    @property
    def first(self) -> VariantLine:
        return self.points[0.0][0]

    @property
    def without(self) -> Point:
        return self.points[0.0][1]

    @property
    def in_order(self) -> list[tuple[float, VariantLine, Point]]:
        return [(rtt_ms, *found) for rtt_ms, found in sorted(self.points.items())]

    @property
    def flushes_ms(self) -> float | None:
        """Of a commit without a round trip; None: not known."""
        times = {one.threads: one.anatomy for one in self.first.models.commit_times}
        found = times.get(self.without.threads)
        flushes = found.parts.items() if isinstance(found, Anatomy) else ()
        return sum(ms for part, ms in flushes if part.endswith(" flush")) or None

    def per_s(self, trips: float, rtt_ms: float) -> float:
        return predicted_per_s(self.without.tps, self.without.threads, trips * rtt_ms)

    def later_ms(self, since_ms: float | None, rtt_ms: float) -> float | None:
        return None if since_ms is None else since_ms + self.trips * rtt_ms


def round_trips(lines: Sequence[VariantLine], plan: Plan, threads: int, counts: str) -> Chart:
    drawn = _delayed(lines, plan, threads)
    rows = [row for one in drawn for row in _rates(one)]
    series = [series for one in drawn for series in _rate_series(one)]
    return described("round-trips", rows, series, threads=at(threads), counts=counts)


def round_trip_latency(lines: Sequence[VariantLine], plan: Plan, threads: int) -> Chart:
    drawn = _delayed(lines, plan, threads)
    rows = [row for one in drawn for row in _times(one)]
    series = [series for percentile in PERCENTILES for one in drawn for series in _time_series(one, percentile)]
    return described("round-trip-latency", rows, series, threads=at(threads))


def _delayed(lines: Sequence[VariantLine], plan: Plan, threads: int) -> list[DelayedLine]:
    found: dict[tuple[int, str, str], dict[float, tuple[VariantLine, Point]]] = {}
    waits: dict[tuple[int, str, str], tuple[float, float]] = {}
    variants = {one.name: one for one in plan.variants}
    for line in lines:
        variant, point = variants[line.variant], next((one for one in line.points if one.threads == threads), None)
        topology = understood(variant.topology)
        if point and point.tps > 0 and topology and topology.rtt_ms is not None:
            alike = replace(variant, name="", topology="", settings=dict(sorted(variant.settings.items())))
            place = line.server_id, repr(replace(topology, rtt_ms=0)), repr(alike)
            found.setdefault(place, {})[topology.rtt_ms] = line, point
            least, most = TOPOLOGY_KINDS[topology.kind].waits(topology)
            waits[place] = least, trips_of(threads, least, most)
    several = [(place, points) for place, points in found.items() if 0.0 in points and len(points) > 1]
    return [DelayedLine(points, *waits[place]) for place, points in several]


def _curve(one: DelayedLine) -> list[float]:
    longest = max(one.points)
    return [float(f"{longest * step / STEPS:.4g}") for step in range(STEPS + 1)]


def _rate_series(one: DelayedLine) -> Iterator[ChartSeries]:
    first = one.first
    slow, fast = (
        tuple(Dot(rtt_ms, one.per_s(trips, rtt_ms)) for rtt_ms in _curve(one)) for trips in (one.most_trips, one.trips)
    )
    yield ChartSeries(first.name, first.colour, slow, first.dash, fit=True)
    if one.most_trips > one.trips:
        yield ChartSeries(first.name, first.colour, fast, first.dash, ceiling=True)
    dots = tuple(Dot(rtt_ms, point.tps, point.lo, point.hi) for rtt_ms, _, point in one.in_order)
    yield ChartSeries(first.name, first.colour, dots, first.dash)


def _rates(one: DelayedLine) -> Iterator[Row]:
    for rtt_ms, line, point in one.in_order:
        model = one.per_s(one.most_trips, rtt_ms)
        yield (line.name, rtt_ms, point.tps, point.lo, point.hi, model, point.tps / model)


def _time_series(one: DelayedLine, percentile: str) -> Iterator[ChartSeries]:
    """Of p50 also the flushes alone with the round trips: no commit can be faster."""
    series = ChartSeries(f"{percentile} {one.first.name}", one.first.colour, (), one.first.dash, panel=percentile)
    if (since_ms := one.without.latency_ms.get(percentile)) is not None:
        yield replace(series, dots=_later(one, since_ms), fit=True)
    if percentile == PERCENTILES[0] and one.flushes_ms:
        yield replace(series, dots=_later(one, one.flushes_ms), ceiling=True)
    timed = tuple(Dot(rtt_ms, point.latency_ms.get(percentile)) for rtt_ms, _, point in one.in_order)
    yield replace(series, dots=timed)


def _later(one: DelayedLine, since_ms: float) -> tuple[Dot, ...]:
    return tuple(Dot(rtt_ms, one.later_ms(since_ms, rtt_ms)) for rtt_ms in _curve(one))


def _times(one: DelayedLine) -> Iterator[Row]:
    for rtt_ms, line, point in one.in_order:
        p50, p99 = (point.latency_ms.get(percentile) for percentile in PERCENTILES)
        model = one.later_ms(one.without.latency_ms.get("p50"), rtt_ms)
        over = p50 / model if p50 and model else None
        yield (line.name, rtt_ms, p50, p99, model, one.later_ms(one.flushes_ms, rtt_ms), over)
