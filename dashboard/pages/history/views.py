from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from dashboard.charts import nights as charts
from dashboard.findings.nights import shown
from dashboard.pages.accounts.gate import needs
from dashboard.pages.history import page
from dashboard.pages.results.files import FORMS
from dashboard.records.experiments.models import Experiment
from dashboard.records.history.figures import FIGURES
from dashboard.records.history.models import Entry
from dashboard.records.servers.models import Server


@needs("see", "GET")
def server(request: HttpRequest, pk: int) -> HttpResponse:
    found = shown(get_object_or_404(Server, pk=pk), request.GET)
    return render(request, "history/server.html", page.context(found))


@needs("see", "GET")
def chart(request: HttpRequest, pk: int, key: str, form: str) -> HttpResponse:
    """One figure of the nights that the page shows for the same query."""
    if key not in FIGURES or form not in FORMS:
        raise Http404("No such figure or form.")
    found = shown(get_object_or_404(Server, pk=pk), request.GET)
    return FORMS[form](charts.chart(key, found), f"history-{found.server}")


@needs("see", "GET")
def of_experiment(request: HttpRequest, pk: int) -> HttpResponse:
    """To the history of the server, under the condition that the experiment measured first."""
    experiment = get_object_or_404(Experiment.objects.only("pk", "plan", "imported_at"), pk=pk)
    if experiment.is_imported:
        messages.info(request, "An imported experiment has no history here: another installation measured it.")
        return redirect("results:page", pk)
    entry = Entry.objects.filter(experiment=experiment).select_related("track").order_by("track__kind", "pk").last()
    if entry:
        return redirect(entry.track)
    messages.info(request, "This experiment is not in the history yet. A worker adds it within minutes of its end.")
    servers = experiment.server_ids
    return redirect("history:server", servers[0]) if servers else redirect("results:page", pk)
