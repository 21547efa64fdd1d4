"""Views of results and of their files. `dashboard.pages.sharing` calls them too, after it checked the link; their texts
are then redacted."""

from typing import cast

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from dashboard.charts.registry import CHARTS, draw
from dashboard.findings.service_level import LevelFinding
from dashboard.findings.shown import ResultView
from dashboard.pages.accounts.gate import needs
from dashboard.pages.results import cell_page, queries
from dashboard.pages.results import page as pages
from dashboard.pages.results import report as reports
from dashboard.pages.results.files import FORMS
from dashboard.pages.results.reader import Reader, reader_of
from dashboard.records.experiments.models import Experiment, Run


def result_page(
    request: HttpRequest, experiment: Experiment, *, shared: bool = False, link_token: str = ""
) -> HttpResponse:
    """The result of an experiment in any state."""
    context = pages.context(experiment, request.GET, shared=shared, token=link_token)
    return render(request, "results/page.html", context)


@needs("see", "GET")
def page(request: HttpRequest, experiment_id: int) -> HttpResponse:
    found = Experiment.objects.select_related("worker").prefetch_related("tags")  # the page names them twice
    return result_page(request, get_object_or_404(found, pk=experiment_id))


@needs("see", "GET")
def report(request: HttpRequest, experiment_id: int) -> HttpResponse:
    """The result on a few sheets, to be printed or saved as a PDF by the browser."""
    experiment = get_object_or_404(Experiment.objects.select_related("worker"), pk=experiment_id)
    confirmed = experiment.comments.filter(confirms=True)
    known = pages.context(experiment, request.GET, shared=False)
    more = reports.context(cast(ResultView, known["shown"]), cast(list[LevelFinding], known["levels"]))
    return render(request, "results/report.html", {**known, **more, "confirmed": confirmed})


@needs("see", "GET")
def chart(request: HttpRequest, experiment_id: int, key: str, form: str) -> HttpResponse:
    """A chart's figures as CSV or JSON, for the same query string as the page."""
    if key not in CHARTS or form not in FORMS:
        raise Http404("No such chart or form.")
    experiment = get_object_or_404(Experiment.objects.select_related("worker"), pk=experiment_id)
    shared = request.resolver_match is None or request.resolver_match.namespace != "results"
    shown = pages.shown_to(experiment, request.GET, shared=shared)
    return FORMS[form](draw(key, shown), shown.clean(experiment.name))


@needs("see", "GET")
def cell(request: HttpRequest, cell_id: int) -> HttpResponse:
    run = get_object_or_404(queries.run_of(cell_id))
    return measurement_page(request, run, reader_of(run.cell.experiment))


def measurement_page(request: HttpRequest, run: Run, reader: Reader) -> HttpResponse:
    """One measurement with its evidence."""
    return render(request, "results/cell.html", cell_page.context(run, reader))


@needs("see", "GET")
def cell_chart(request: HttpRequest, cell_id: int, key: str, form: str) -> HttpResponse:
    run = get_object_or_404(queries.run_of(cell_id))
    return measurement_chart(run, reader_of(run.cell.experiment), key, form)


def measurement_chart(run: Run, reader: Reader, key: str, form: str) -> HttpResponse:
    if key not in cell_page.CHARTS or form not in FORMS:
        raise Http404("No such chart or form.")
    return FORMS[form](cell_page.CHARTS[key](run, reader), f"cell-{run.cell_id}")
