"""The filter of the list of experiments: words, state, recipe, server, tag, own, deleted."""

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from itertools import islice
from operator import and_
from typing import Any, overload

from django.db.models import Q, QuerySet

from dashboard.installation.nul import without_nul
from dashboard.records.accounts.actor import Actor, account
from dashboard.records.experiments import queries
from dashboard.records.experiments.models import Cell, Experiment, Tag, Trial, Words
from dashboard.records.experiments.tags import normal
from dashboard.records.experiments.words import folded
from dashboard.records.servers.models import Server

LONGEST = 200
MOST_WORDS = 8  # further words are ignored
LATELY = 2000  # experiments whose names are looked through while somebody types


class Found(Sequence[Experiment]):
    """Reads the ids first, then the columns that a list shows for one page of ids. In one query a database would read
    all columns of all rows to sort them."""

    def __init__(self, ids: QuerySet[Experiment, int] | list[int], rows: QuerySet[Experiment]) -> None:
        self.ids, self._rows = ids, rows

    def __len__(self) -> int:
        return len(self.ids) if isinstance(self.ids, list) else self.ids.count()

    @overload
    def __getitem__(self, part: int) -> Experiment: ...
    @overload
    def __getitem__(self, part: slice) -> list[Experiment]: ...
    def __getitem__(self, part: int | slice) -> Experiment | list[Experiment]:
        if isinstance(part, int):
            return self[part : part + 1][0]
        ids = list(self.ids[part])
        rows = self._rows.in_bulk(ids)
        return queries.with_progress(rows[pk] for pk in ids if pk in rows)  # one may have been deleted meanwhile


def found(asked: Mapping[str, object], user: Actor) -> Found:
    """Newest first; of deleted experiments the last deleted first. An empty or missing key does not filter.

    `asked`: {"words": str, "state", "recipe": str, "server": id, "tag": str, "mine", "deleted": bool}
    """
    given = without_nul(dict(asked))  # PostgreSQL refuses to look for NUL
    narrowed = reduce(and_, (rule(value, user) for name, rule in RULES.items() if (value := given.get(name))), Q())
    if asked.get("deleted"):
        which, rows = Experiment.deleted.order_by("-deleted_at", "-pk"), queries.deleted()
    else:
        which, rows = Experiment.objects.order_by("-created_at", "-pk"), queries.listed()
    ids = which.filter(narrowed).values_list("pk", flat=True)
    return Found(list(ids) if asked.get("words") else ids, rows)  # a search reads every text, so it runs once


def lately_named(text: str, most: int) -> list[tuple[int, str, str]]:
    """(id, name, state) of the newest experiments whose name holds each word, newest first."""
    words = [folded(word) for word in text.split()[:MOST_WORDS]]
    newest = Experiment.objects.order_by("-created_at", "-pk").values_list("pk", "name", "state")[:LATELY]
    named = (one for one in newest.iterator() if _holds(folded(one[1]), words))
    return list(islice(named, most))


def _holds(text: str, words: list[str]) -> bool:
    return all(word in text for word in words)


def with_words(text: str) -> Q:
    """Each word must be in the stored words, in a server's present name or build, or in a tag."""
    return reduce(and_, map(_word, without_nul(text).split()[:MOST_WORDS]), Q())


def _word(word: str) -> Q:
    known = folded(word)
    names = Server.objects.values_list("pk", "name", "build")
    servers = [pk for pk, name, build in names if known in folded(f"{name}\n{build}")]
    tags = list(Tag.objects.filter(name__contains=normal(word)).values_list("pk", flat=True))
    found = Q(pk__in=Words.objects.filter(text__contains=known).values("pk"))
    return found | (_on(servers) if servers else Q()) | (_tagged(tags) if tags else Q())


def _on(servers: list[int]) -> Q:
    """Read from indexes of (server, experiment) alone."""
    return Q(pk__in=Cell.objects.filter(server__in=servers).order_by().values("experiment")) | Q(
        pk__in=Trial.objects.filter(server__in=servers).order_by().values("experiment")
    )


def _tag(name: str, _: Actor) -> Q:
    return _tagged(list(Tag.objects.filter(name=normal(name)).values_list("pk", flat=True)))


def _tagged(tags: list[int]) -> Q:
    return Q(pk__in=Experiment.tags.through.objects.filter(tag__in=tags).values("experiment"))


RULES: dict[str, Callable[[Any, Actor], Q]] = {
    "words": lambda text, _: with_words(text),
    "state": lambda state, _: Q(state=state),
    "recipe": lambda recipe, _: Q(recipe=recipe),
    "server": lambda server, _: _on([server]),
    "tag": _tag,
    "mine": lambda _, user: Q(created_by=account(user)),
}
