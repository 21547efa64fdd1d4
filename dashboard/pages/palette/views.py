"""What the command palette finds by name: a few servers and experiments."""

from collections.abc import Iterator

from django.http import HttpRequest, JsonResponse
from django.urls import reverse

from dashboard.pages.accounts.gate import needs
from dashboard.records.experiments import search
from dashboard.records.experiments.models import Experiment
from dashboard.records.servers import queries

MOST = 6  # of each kind


@needs("see", "GET")
def find(request: HttpRequest) -> JsonResponse:
    """{"servers", "experiments": [{"name", "says", "to"}]}; both are empty without words."""
    words = request.GET.get("words", "")[: search.LONGEST]
    found = {"servers": list(_servers(words)), "experiments": list(_experiments(words))} if words.strip() else {}
    return JsonResponse({"servers": [], "experiments": [], **found})


def _servers(words: str) -> Iterator[dict[str, str]]:
    for pk, name, label in queries.named(words).values_list("pk", "name", "label")[:MOST]:
        yield {"name": name, "says": label, "to": reverse("servers:detail", args=[pk])}


def _experiments(words: str) -> Iterator[dict[str, str]]:
    for pk, name, state in search.lately_named(words, MOST):
        yield {"name": name, "says": Experiment.State(state).label, "to": reverse("experiments:show", args=[pk])}
