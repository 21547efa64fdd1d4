"""A link to a comparison holds the query of the compare page, without unknown runs."""

from dataclasses import replace

from django.http import QueryDict

from dashboard.findings.compare.choice import AskedComparison, choice
from dashboard.findings.compare.figures import columns, experiments_of
from dashboard.findings.compare.pairs import experiments_named
from dashboard.records.experiments.models import Experiment, Run
from dashboard.records.sharing.models import ShareLink


def there(chosen: AskedComparison) -> tuple[AskedComparison, list[Experiment]]:
    """The choice to share, and its experiments; none if nothing is compared."""
    if chosen.is_of_experiments:
        return replace(chosen, runs=(), offered=None), list(experiments_named(chosen) or ())
    found = columns(chosen.runs)
    known = {run_id for column in found for run_id in column.run_ids}
    runs = tuple(one for one in chosen.runs if one in known)
    return replace(chosen, runs=runs, offered=None), experiments_of(found)


def still_there(link: ShareLink) -> tuple[int, ...]:
    """Experiments or runs of a link that are not deleted: a stored page may still show them."""
    chosen = choice(QueryDict(link.comparison))
    if chosen.is_of_experiments:
        return tuple(one.pk for one in experiments_named(chosen) or ())
    runs = Run.objects.filter(pk__in=chosen.runs).order_by("pk")
    return tuple(runs.exclude(cell__experiment__in=Experiment.deleted.ids()).values_list("pk", flat=True))


def seen(link: ShareLink, query: QueryDict) -> AskedComparison:
    """Always the points of the link; only their presentation follows the query."""
    return choice(QueryDict(link.comparison)).seen_with(query)
