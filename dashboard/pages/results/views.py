"""Views of results and of their files. `dashboard.pages.sharing` calls them too, after it checked the link. `token`: of
that link; names of servers and everything that identifies them are then removed."""

from typing import cast

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from dashboard.charts.registry import CHARTS, draw
from dashboard.findings.service_level import LevelFinding
from dashboard.findings.shown import ResultView
from dashboard.pages.accounts.gate import needs
from dashboard.pages.results import cell_page, parts, queries
from dashboard.pages.results import page as pages
from dashboard.pages.results import report as reports
from dashboard.pages.results.addresses import Addresses
from dashboard.pages.results.files import FORMS
from dashboard.pages.results.reader import reader_of
from dashboard.records.experiments.models import Experiment


@needs("see", "GET")
def page(request: HttpRequest, experiment_id: int, token: str = "") -> HttpResponse:
    found = Experiment.objects.select_related("worker").prefetch_related("tags")  # the page names them twice
    experiment = get_object_or_404(found, pk=experiment_id)
    return render(request, "results/page.html", pages.context(experiment, request.GET, token))


@needs("see", "GET")
def part(request: HttpRequest, experiment_id: int, key: str, token: str = "") -> HttpResponse:
    """A folded part of the page, for the same query string."""
    if key not in parts.PARTS:
        raise Http404("A result has no such part.")
    experiment = get_object_or_404(Experiment.objects.select_related("worker"), pk=experiment_id)
    view = pages.shown_to(experiment, request.GET, shared=bool(token))
    context = parts.context(key, experiment, view, Addresses(experiment.pk, token))
    return render(request, "results/part.html", {**context, "shared": bool(token)})


@needs("see", "GET")
def report(request: HttpRequest, experiment_id: int) -> HttpResponse:
    """The result on a few sheets, to be printed or saved as a PDF by the browser."""
    experiment = get_object_or_404(Experiment.objects.select_related("worker"), pk=experiment_id)
    confirmed = experiment.comments.filter(confirms=True)
    known = pages.context(experiment, request.GET)
    view, levels = cast(ResultView, known["shown"]), cast(list[LevelFinding], known["levels"])
    more = reports.context(view, levels, cast(list[pages.MeasuredPlace], known["places"]))
    return render(request, "results/report.html", {**known, **more, "confirmed": confirmed})


@needs("see", "GET")
def chart(request: HttpRequest, experiment_id: int, key: str, form: str, token: str = "") -> HttpResponse:
    """A chart's figures as CSV or JSON, for the same query string as the page."""
    if key not in CHARTS or form not in FORMS:
        raise Http404("No such chart or form.")
    experiment = get_object_or_404(Experiment.objects.select_related("worker"), pk=experiment_id)
    shown = pages.shown_to(experiment, request.GET, shared=bool(token))
    return FORMS[form](draw(key, shown), shown.clean(experiment.name))


@needs("see", "GET")
def cell(request: HttpRequest, cell_id: int, token: str = "") -> HttpResponse:
    run = get_object_or_404(queries.run_of(cell_id))
    return render(request, "results/cell.html", cell_page.context(run, reader_of(run.cell.experiment, token)))


@needs("see", "GET")
def cell_chart(request: HttpRequest, cell_id: int, key: str, form: str, token: str = "") -> HttpResponse:
    if key not in cell_page.CHARTS or form not in FORMS:
        raise Http404("No such chart or form.")
    run = get_object_or_404(queries.run_of(cell_id))
    return FORMS[form](cell_page.CHARTS[key](run, reader_of(run.cell.experiment, token)), f"cell-{cell_id}")
