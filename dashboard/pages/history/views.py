"""Pages and files of a server's history."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_safe

from dashboard.charts import nights as charts
from dashboard.findings.nights import shown
from dashboard.pages.accounts.gate import needs
from dashboard.pages.history import page
from dashboard.pages.results.files import FORMS
from dashboard.records.experiments.models import Experiment
from dashboard.records.history.addresses import server_page
from dashboard.records.history.figures import FIGURES
from dashboard.records.history.models import Entry
from dashboard.records.servers.models import Server


@needs("see")
@require_safe
def server(request: HttpRequest, pk: int) -> HttpResponse:
    """What was measured on a server, night after night."""
    found = shown(get_object_or_404(Server, pk=pk), request.GET)
    return render(request, "history/server.html", page.context(found))


@needs("see")
@require_safe
def chart(request: HttpRequest, pk: int, key: str, form: str) -> HttpResponse:
    """Every night in sight of one figure, for the same query string as the page."""
    if key not in FIGURES or form not in FORMS:
        raise Http404("No such figure or form.")
    found = shown(get_object_or_404(Server, pk=pk), request.GET)
    return FORMS[form](charts.chart(key, found), f"history-{found.server}")


@needs("see")
@require_safe
def of_experiment(request: HttpRequest, pk: int) -> HttpResponse:
    """The history that an experiment belongs to, under the condition it measured first."""
    experiment = get_object_or_404(Experiment.objects.only("pk", "plan", "imported_at"), pk=pk)
    if experiment.is_imported:
        messages.info(request, "An imported experiment is in no history: it was not measured by this installation.")
        return redirect("results:page", pk)
    entry = Entry.objects.filter(experiment=experiment).select_related("track").order_by("track__kind", "pk").last()
    if entry:
        return redirect(server_page(entry.track))
    messages.info(request, "This experiment is in no history yet: a worker notes it within minutes of its end.")
    return redirect("history:server", experiment.plan["targets"][0]["server_id"])
