"""Share links as lists show them, newest first."""

from dashboard.records.experiments.models import Experiment
from dashboard.records.sharing.models import Links, ShareLink


def experiment_of(link: ShareLink) -> Experiment:
    """With all columns that its page needs; `actions.find` reads fewer."""
    return Experiment.objects.select_related("worker").get(links=link)


def plan_of(link: ShareLink) -> dict[str, object]:
    plan: dict[str, object] = Experiment.objects.values_list("plan", flat=True).get(links=link)
    return plan


def links(experiment: Experiment | None = None, *, only_open: bool = False) -> Links:
    found = ShareLink.objects.showing(experiment) if experiment else ShareLink.objects.kept()
    found = found.open() if only_open else found
    return found.select_related("experiment", "created_by").prefetch_related("compared")
