"""Single charts of a link in pages of other sites: the HTML to paste, and the page inside the frame."""

from dataclasses import dataclass

from django.http import Http404, HttpRequest, QueryDict
from django.urls import reverse
from django.utils.html import escape

from dashboard.charts.chart import Chart
from dashboard.charts.compared import KEY as COMPARED
from dashboard.charts.registry import CHARTS, draw
from dashboard.findings.conclusion import conclusion
from dashboard.findings.shown import ResultView
from dashboard.pages.results import page
from dashboard.pages.results.addresses import Addresses
from dashboard.pages.results.compare.comparison import comparison
from dashboard.pages.results.compare.page import picture_of
from dashboard.pages.results.picture import Picture, picture
from dashboard.pages.sharing import comparisons
from dashboard.records.sharing.models import ShareLink
from dashboard.records.sharing.queries import experiment_of

HEIGHT = 480  # pixels; fixed, so that the outer page does not shift
THEMES = ("light", "dark")


@dataclass(frozen=True)
class Glance:
    sentence: str
    name: str
    chart: Chart  # empty without data


def glance(link: ShareLink, token: str) -> Glance:
    """As the link was shared: without a query."""
    if link.experiment_id is None:
        seen = comparison(comparisons.seen(link, QueryDict()), token)
        return Glance(seen.finding.sentence if seen.finding else seen.chart.title, "Comparison", seen.chart)
    experiment = experiment_of(link)
    view = page.shown_to(experiment, {}, shared=True)
    return Glance(conclusion(experiment, view).sentence, view.clean(experiment.name), draw(main_chart(view), view))


def main_chart(view: ResultView) -> str:
    """Speed against risk if crash trials give that chart data, else throughput."""
    return "risk" if view.trials and draw("risk", view).series else "throughput"


@dataclass(frozen=True)
class Frame:
    """`html`: the text to paste into another page."""

    title: str
    html: str


def frames(request: HttpRequest, link: ShareLink, token: str) -> list[Frame]:
    """One per chart with data, the main chart first."""
    return [_frame(request, token, chart) for chart in _charts(link, token) if not chart.empty]


def _charts(link: ShareLink, token: str) -> list[Chart]:
    if link.experiment_id is None:
        return [glance(link, token).chart]
    view = page.shown_to(experiment_of(link), {}, shared=True)
    main = main_chart(view)
    return [draw(key, view, embedded=True) for key in (main, *(key for key in CHARTS if key != main))]


def _frame(request: HttpRequest, token: str, chart: Chart) -> Frame:
    address = request.build_absolute_uri(reverse("sharing:embed", args=[token, chart.key]))
    said = f'src="{escape(address)}" title="{escape(chart.title)}" width="100%" height="{HEIGHT}"'
    return Frame(chart.title, f'<iframe {said} loading="lazy" style="border: 0"></iframe>')


def context(link: ShareLink, token: str, key: str, query: QueryDict) -> dict[str, object]:
    """The context of the page in the frame. `theme`: light or dark from the query; "": as the system."""
    seen = glance(link, token)
    return {
        "picture": _picture(link, token, key, query),
        "name": seen.name,
        "sentence": seen.sentence,
        "page": reverse("sharing:show", args=[token]),
        "measured_at": link.experiment and link.experiment.ended_at,
        "theme": query.get("theme") if query.get("theme") in THEMES else "",
    }


def _picture(link: ShareLink, token: str, key: str, query: QueryDict) -> Picture:
    if key not in ([COMPARED] if link.experiment_id is None else CHARTS):
        raise Http404("No such chart.")
    if link.experiment_id is None:
        return picture_of(comparisons.seen(link, query), token)
    return picture(key, page.shown_to(experiment_of(link), query, shared=True), Addresses(link.experiment_id, token))
