"""The pictures of a result page and of a cell page, in the order in which they are shown."""

from collections.abc import Callable
from functools import partial

from dashboard.charts.anatomy import anatomy
from dashboard.charts.ceilings import ceilings
from dashboard.charts.chart import Chart
from dashboard.charts.fsync_latency import fsync_latency
from dashboard.charts.fsync_model import fsync_model, fsync_residuals
from dashboard.charts.fsyncs import fsyncs
from dashboard.charts.group_commit import group_commit
from dashboard.charts.groups import groups
from dashboard.charts.latency import latency
from dashboard.charts.probe import probe
from dashboard.charts.ratio import ratio
from dashboard.charts.risk import risk
from dashboard.charts.scaling_law import scaling_law
from dashboard.charts.throughput import throughput
from dashboard.charts.timeline import outline, timeline
from dashboard.findings.shown import Shown

CHARTS: dict[str, Callable[[Shown], Chart]] = {
    "risk": risk,
    "throughput": throughput,
    "ratio": ratio,
    "latency-p50": partial(latency, percentile="p50"),
    "latency-p95": partial(latency, percentile="p95"),
    "latency-p99": partial(latency, percentile="p99"),
    "seconds": timeline,
    "fsyncs": fsyncs,
    "groups": groups,
    "fsync-latency": fsync_latency,
    "probe": probe,
    "group-commit": group_commit,
    "ceilings": ceilings,
    "scaling-law": scaling_law,
    "anatomy": anatomy,
    "fsync-model": fsync_model,
    "fsync-residuals": fsync_residuals,
}
# What models say of the figures: in a section of their own, and only where there is something to say.
MODELS = ("group-commit", "ceilings", "scaling-law", "anatomy", "fsync-model", "fsync-residuals")
# Pictures too large to embed: the page holds their outline, and the address of the rest.
OUTLINES: dict[str, Callable[[Shown], Chart]] = {"seconds": outline}


def sketch(key: str, shown: Shown) -> Chart:
    """A chart as it is embedded in the page: the outline of one that is loaded later."""
    return OUTLINES.get(key, CHARTS[key])(shown).cleaned(shown.clean)


def draw(key: str, shown: Shown) -> Chart:
    """A chart of the registry, with nothing in it that this reader may not see."""
    return CHARTS[key](shown).cleaned(shown.clean)
