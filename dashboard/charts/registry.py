"""The charts of a result page and of a cell page, in the order of the page."""

from collections.abc import Callable

from dashboard.charts.by_threads import groups, latency, ratio, throughput
from dashboard.charts.chart import Chart
from dashboard.charts.device import fsync_model, fsync_residuals, probe
from dashboard.charts.fsyncs import fsync_latency, fsyncs, group_commit
from dashboard.charts.models import anatomy, ceilings, scaling_law
from dashboard.charts.risk import risk
from dashboard.charts.round_trips import round_trip_latency, round_trips
from dashboard.charts.seconds import outline, timeline
from dashboard.findings.shown import ResultView
from workers.topology.topology import parse

CHARTS: dict[str, Callable[[ResultView], Chart]] = {
    "risk": lambda view: risk(
        view.settings,
        view.trials,
        view.choice.crash_kind,
        view.choice.lost_from,
        view.counts,
        view.at_threads,
        {one.name: parse(one.topology) for one in view.plan.variants if one.topology},
    ),
    "throughput": lambda view: throughput(view.lines, view.counts),
    "ratio": lambda view: ratio(view.lines, view.baseline),
    "latency-p50": lambda view: latency(view.lines, "p50"),
    "latency-p95": lambda view: latency(view.lines, "p95"),
    "latency-p99": lambda view: latency(view.lines, "p99"),
    "seconds": lambda view: timeline(view.lines, view.at_threads, view.counts),
    "fsyncs": lambda view: fsyncs(view.lines),
    "groups": lambda view: groups(view.lines),
    "fsync-latency": lambda view: fsync_latency(view.lines, view.at_threads),
    "probe": lambda view: probe(view.devices, view.names),
    "group-commit": lambda view: group_commit(view.lines),
    "ceilings": lambda view: ceilings(view.lines, view.counts),
    "round-trips": lambda view: round_trips(view.lines, view.plan, view.at_threads, view.counts),
    "round-trip-latency": lambda view: round_trip_latency(view.lines, view.plan, view.at_threads),
    "scaling-law": lambda view: scaling_law(view.lines, view.counts),
    "anatomy": lambda view: anatomy(view.lines),
    "fsync-model": lambda view: fsync_model(view.device_models, view.names),
    "fsync-residuals": lambda view: fsync_residuals(view.device_models, view.names),
}
# The parts of the page: charts for the decision, details, explanations, and models (shown only with a result).
SPEED = ("throughput", "latency-p99")
DETAILS = ("ratio", "latency-p50", "latency-p95", "seconds")
EXPLAINING = ("fsyncs", "groups", "fsync-latency", "probe")
MODELS = (
    "round-trips",
    "round-trip-latency",
    "group-commit",
    "ceilings",
    "scaling-law",
    "anatomy",
    "fsync-model",
    "fsync-residuals",
)
# Charts that are too large for the page: the page has their outline and loads the rest.
OUTLINES: dict[str, Callable[[ResultView], Chart]] = {
    "seconds": lambda view: outline(view.lines, view.at_threads, view.counts)
}


def draw(key: str, view: ResultView, *, embedded: bool = False) -> Chart:
    """The chart with the texts that this reader may see. `embedded` in the page: the outline of a large chart."""
    chart = OUTLINES[key](view) if embedded and key in OUTLINES else CHARTS[key](view)
    return chart if view.clean is str else chart.cleaned(view.clean)  # str: the reader may see all texts
