"""The Universal Scalability Law, fitted to each variant's throughput: the effect of threads, and their best number."""

from collections.abc import Sequence

from dashboard.charts.chart import CHART_WORDS, Chart, ChartSeries, Dot, Row, described, reasons, throughput_of
from dashboard.findings.lines import VariantLine
from workers.analysis.not_computable import NotComputable
from workers.analysis.scaling_law import ScalingLaw

STEPS = 24  # of the curve


def scaling_law(lines: Sequence[VariantLine], counts: str) -> Chart:
    laws = [line.models.scaling_law for line in lines]
    rows = [_row(line, law) for line, law in zip(lines, laws, strict=True)]
    drawn = [
        series
        for line, law in zip(lines, laws, strict=True)
        if isinstance(law, ScalingLaw)
        for series in _series(line, law)
    ]
    return described("scaling-law", rows, drawn, counts=counts, reasons=reasons(laws))


def _series(line: VariantLine, law: ScalingLaw) -> tuple[ChartSeries, ChartSeries]:
    threads = [point.threads for point in line.points]
    low, high = min(threads), max(threads)
    places = [low * (high / low) ** (step / STEPS) for step in range(STEPS + 1)]
    curve = tuple(Dot(float(f"{place:.4g}"), law.tps(place)) for place in places)
    return ChartSeries(line.name, line.colour, curve, line.dash, fit=True), throughput_of(line)


def _row(line: VariantLine, law: ScalingLaw | NotComputable) -> Row:
    if isinstance(law, NotComputable):
        return (line.name, *([None] * (len(CHART_WORDS["scaling-law"].columns) - 2)), law.why)
    ranges = [end for one in (law.per_thread_tps, law.contention, law.coherency) for end in (one.value, one.lo, one.hi)]
    peak = law.peak_threads
    ends = (peak.value, peak.lo, peak.hi) if peak else (None, None, None)
    remark = "" if peak else "no peak was measured"
    return (line.name, *ranges, law.bend_threads, *ends, law.peak_tps, law.misfit, remark)
