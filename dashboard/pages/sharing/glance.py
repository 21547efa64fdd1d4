"""The sentence and the main chart of a link, as its readers see them."""

from dataclasses import dataclass

from django.http import QueryDict

from dashboard.charts.chart import Chart
from dashboard.charts.registry import draw
from dashboard.findings.conclusion import conclusion
from dashboard.findings.shown import ResultView
from dashboard.pages.results import page
from dashboard.pages.results.compare.page import at_a_glance
from dashboard.pages.sharing import comparisons
from dashboard.records.sharing.models import ShareLink
from dashboard.records.sharing.queries import experiment_of


@dataclass(frozen=True)
class Glance:
    sentence: str
    name: str
    chart: Chart  # empty without data


def glance(link: ShareLink, token: str) -> Glance:
    """As the link was shared: without a query."""
    if link.experiment_id is None:
        found, chart = at_a_glance(comparisons.seen(link, QueryDict()), token)
        return Glance(found.sentence if found else chart.title, "Comparison", chart)
    experiment = experiment_of(link)
    view = page.shown_to(experiment, {}, shared=True)
    return Glance(conclusion(experiment, view).sentence, view.clean(experiment.name), draw(main_chart(view), view))


def main_chart(view: ResultView) -> str:
    """Speed against risk if crash trials give that chart data, else throughput."""
    return "risk" if view.trials and draw("risk", view).series else "throughput"
