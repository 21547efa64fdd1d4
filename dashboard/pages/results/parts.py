"""Folded parts of a result page, which has their headings only. A script reads the rest when a part is opened or
printed; a reader without scripts finds it on a page of its own. Charts and tables of parts were half of the page."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from dashboard.charts.fsyncs import verdicts
from dashboard.charts.host import HostMeans, means
from dashboard.charts.registry import DETAILS, EXPLAINING, MODELS
from dashboard.findings.conclusion import of_load
from dashboard.findings.finding import progress
from dashboard.findings.shown import ResultView
from dashboard.pages.results.addresses import Addresses
from dashboard.pages.results.picture import pictures
from dashboard.records.experiments.models import Experiment

Context = dict[str, object]


@dataclass(frozen=True)
class ResultPart:
    title: str
    template: str
    context: Callable[[Experiment, ResultView, Addresses], Context]


def links(view: ResultView, addresses: Addresses) -> list[tuple[str, str]]:
    """(Title, address)."""
    return [(part.title, addresses.part(key, view.query)) for key, part in PARTS.items()]


def context(key: str, experiment: Experiment, view: ResultView, addresses: Addresses) -> Context:
    part = PARTS[key]
    return {
        "part": part,
        "name": view.clean(experiment.name),
        "page_url": f"{addresses.page()}?{view.query}",
        "messages": (),  # those of the session wait for a page that its reader sees
        **part.context(experiment, view, addresses),
    }


def _speed(experiment: Experiment, view: ResultView, addresses: Addresses) -> Context:
    return {"pictures": pictures(DETAILS, view, addresses), "host": _host(view)}


def _how_it_works(experiment: Experiment, view: ResultView, addresses: Addresses) -> Context:
    """Only models that have something to draw."""
    models = (one for one in pictures(MODELS, view, addresses) if not one.chart.empty)
    return {
        "pictures": [*pictures(EXPLAINING, view, addresses), *models],
        "group_commit": verdicts(view.lines),
        "sentences": _more(experiment, view) if view.trials else (),
    }


def _more(experiment: Experiment, view: ResultView) -> tuple[str, ...]:
    """What the finding about the load adds. Without crash trials the page itself says it."""
    known = progress(experiment, experiment.cells.values_list("state", flat=True), view.clean)
    return tuple(of_load(view, known).more)


def _host(view: ResultView) -> HostMeans:
    found = means(view.lines)
    table = found.table.cleaned(view.clean) if found.table else None
    return HostMeans(table, tuple(map(view.clean, found.why)))


PARTS: Mapping[str, ResultPart] = {
    "speed": ResultPart("Speed in detail", "results/_speed.html", _speed),
    "how-it-works": ResultPart(
        "How it works: fsyncs, group commit, models", "results/_how_it_works.html", _how_it_works
    ),
}
