"""Links as the lists show them, newest first."""

from typing import Any

from dashboard.records.experiments.models import Experiment
from dashboard.records.sharing.models import Links, ShareLink


def experiment_of(link: ShareLink) -> Experiment:
    """With all that its page needs: the one that was found with the link has no more than a name."""
    return Experiment.objects.select_related("worker").get(links=link)


def plan_of(link: ShareLink) -> dict[str, Any]:
    plan: dict[str, Any] = Experiment.objects.values_list("plan", flat=True).get(links=link)
    return plan


def links(experiment: Experiment | None = None, *, only_open: bool = False) -> Links:
    """All links of the installation, or those that show an experiment."""
    found = ShareLink.objects.showing(experiment) if experiment else ShareLink.objects.kept()
    found = found.open() if only_open else found
    return found.select_related("experiment", "created_by").prefetch_related("compared")
