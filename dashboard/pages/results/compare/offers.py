"""The experiments that can be chosen on the compare page: those with the searched words, one page at a time."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.core.paginator import Page, Paginator
from django.db.models import Exists, OuterRef, QuerySet
from django.utils.timezone import localtime

from dashboard.records.experiments import search
from dashboard.records.experiments.care import baseline_for
from dashboard.records.experiments.models import Cell, Experiment, Trial
from dashboard.records.experiments.queries import servers_of

PER_PAGE = 100


@dataclass(frozen=True)
class Offers:
    """`labelled`: (id, label) of the page and of the experiments that are chosen already. `words`: of the search."""

    words: str
    page: Page[int]
    labelled: Sequence[tuple[int, str]]


def offers(asked: Mapping[str, str], chosen: Sequence[Experiment]) -> Offers:
    """`asked`: the query of the page. The newest are on the first page, after the baselines of the chosen ones."""
    words = asked.get("words", "")[: search.LONGEST]
    page = Paginator(_with_results(words), PER_PAGE).get_page(asked.get("page"))
    rows = Experiment.objects.defer("plan", "analysis", "claims", "outcomes").in_bulk(page.object_list)
    found = [rows[pk] for pk in page.object_list if pk in rows]
    first = () if words or page.number > 1 else filter(None, map(baseline_for, chosen))
    return Offers(words, page, list(_labelled({one.pk: one for one in (*first, *found, *chosen)}.values())))


def _with_results(words: str) -> QuerySet[Experiment, int]:
    """Ids of experiments with a finished measurement or crash trial."""
    ended = (rows.filter(experiment=OuterRef("pk"), state=Cell.State.DONE) for rows in (Cell.objects, Trial.objects))
    cells, trials = map(Exists, ended)
    known = Experiment.objects.filter(search.with_words(words), cells | trials)
    return known.order_by("-created_at", "-pk").values_list("pk", flat=True)


def _labelled(experiments: Iterable[Experiment]) -> Iterator[tuple[int, str]]:
    """(Id, its name with the servers that the name does not hold, and when it was planned)."""
    known = list(experiments)
    servers = servers_of(one.pk for one in known)
    for one in known:
        further = [server for server in servers[one.pk] if server not in one.name]
        when = f"{localtime(one.created_at):%Y-%m-%d %H:%M}"
        yield one.pk, ", ".join([one.name, *further, when, *(["baseline"] if one.is_baseline else [])])
