"""The Universal Scalability Law, fitted to each variant's throughput: the effect of threads, and their best number."""

from collections.abc import Sequence

from dashboard.charts.chart import NOT_AVAILABLE, Axis, Chart, ChartSeries, ChartTable, Dot, Row, reasons, throughput_of
from dashboard.findings.lines import VariantLine
from workers.analysis.not_computable import NotComputable
from workers.analysis.scaling_law import ScalingLaw

STEPS = 24  # of the curve
COLUMNS = (
    ("variant", "text"), ("one thread", "number"), ("95 % from", "number"), ("95 % to", "number"),
    ("contention", "percent"), ("contention from", "percent"), ("contention to", "percent"),
    ("coherency", "percent"), ("coherency from", "percent"), ("coherency to", "percent"),
    ("bends at threads", "number"), ("peak at threads", "number"), ("peak from", "number"), ("peak to", "number"),
    ("at the peak", "number"), ("off by at most", "percent"), ("remark", "text"),
)  # fmt: skip


def scaling_law(lines: Sequence[VariantLine], counts: str) -> Chart:
    drawn = tuple(series for line in lines if (law := _law(line)) for series in _series(line, law))
    return Chart(
        key="scaling-law",
        title="Throughput by threads: the scalability law",
        kind="model",
        x=Axis("threads", scale="log2"),
        y=Axis(f"{counts} per second", "/s", can_toggle_log=True),
        table=ChartTable(COLUMNS, tuple(_row(line, line.models.scaling_law) for line in lines)),
        series=drawn,
        empty="" if drawn else f"The law is {NOT_AVAILABLE}: {reasons(line.models.scaling_law for line in lines)}",
        source="sysbench" if drawn else "",
        note="Points: measured. Lines: throughput = threads x one thread / (1 + contention x (threads - 1) + coherency "
        "x threads x (threads - 1)). The bend is where one thread's line reaches the highest throughput of the law. "
        "Variants that the law does not describe are in the table.",
    )  # fmt: skip


def _law(line: VariantLine) -> ScalingLaw | None:
    known = line.models.scaling_law
    return known if isinstance(known, ScalingLaw) else None


def _series(line: VariantLine, law: ScalingLaw) -> tuple[ChartSeries, ChartSeries]:
    threads = [point.threads for point in line.points]
    low, high = min(threads), max(threads)
    places = [low * (high / low) ** (step / STEPS) for step in range(STEPS + 1)]
    curve = tuple(Dot(float(f"{place:.4g}"), law.tps(place)) for place in places)
    return ChartSeries(line.name, line.colour, curve, line.dash, fit=True), throughput_of(line)


def _row(line: VariantLine, law: ScalingLaw | NotComputable) -> Row:
    if isinstance(law, NotComputable):
        return (line.name, *([None] * (len(COLUMNS) - 2)), law.why)
    ranges = [end for one in (law.per_thread_tps, law.contention, law.coherency) for end in (one.value, one.lo, one.hi)]
    peak = law.peak_threads
    ends = (peak.value, peak.lo, peak.hi) if peak else (None, None, None)
    remark = "" if peak else "no peak was measured"
    return (line.name, *ranges, law.bend_threads, *ends, law.peak_tps, law.misfit, remark)
