"""Share links as lists show them, newest first."""

from dashboard.installation.stored import read
from dashboard.records.experiments.models import Experiment
from dashboard.records.plan_outline import PlanOutline
from dashboard.records.sharing.models import Links, ShareLink


def experiment_of(link: ShareLink) -> Experiment:
    """With all columns that its page needs; `actions.find` reads fewer."""
    return Experiment.objects.select_related("worker").get(links=link)


def outline_of(link: ShareLink) -> PlanOutline:
    return read(PlanOutline, Experiment.objects.values_list("plan", flat=True).get(links=link))


def links(experiment: Experiment | None = None, *, only_open: bool = False) -> Links:
    found = ShareLink.objects.showing(experiment) if experiment else ShareLink.objects.kept()
    found = found.open() if only_open else found
    return found.select_related("experiment", "created_by").prefetch_related("compared")
