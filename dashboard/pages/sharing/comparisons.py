"""What a link to a comparison holds: the query of the compare page, cut down to the runs that were there."""

from dataclasses import replace

from django.http import QueryDict

from dashboard.findings.compare.choice import Choice, choice
from dashboard.findings.compare.columns import columns, experiments_of
from dashboard.records.experiments.models import Experiment, Run
from dashboard.records.sharing.models import ShareLink


def there(chosen: Choice) -> tuple[Choice, list[Experiment]]:
    """What would be shared, and of which experiments; none where nothing is compared."""
    found = columns(chosen.runs)
    known = {run_id for column in found for run_id in column.run_ids}
    runs = tuple(one for one in chosen.runs if one in known)
    return replace(chosen, runs=runs, offered=None), experiments_of(found)


def still_there(link: ShareLink) -> tuple[int, ...]:
    """The runs of a link whose experiments are not deleted: what a page that is kept may go on showing."""
    runs = Run.objects.filter(pk__in=choice(QueryDict(link.comparison)).runs).order_by("pk")
    return tuple(runs.exclude(cell__experiment__in=Experiment.deleted.ids()).values_list("pk", flat=True))


def seen(link: ShareLink, query: QueryDict) -> Choice:
    """The points of the link, whatever is asked for, looked at in the way that is asked for."""
    return choice(QueryDict(link.comparison)).seen_with(query)
