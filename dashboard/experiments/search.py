"""The list of experiments as people ask for it: by words, state, recipe, server, tag, whose they are, and deleted."""

from collections.abc import Mapping
from functools import reduce
from operator import and_
from typing import Any

from django.db.models import Q, QuerySet

from dashboard.experiments import queries
from dashboard.experiments.models import Cell, Experiment, Tag, Trial, Words
from dashboard.experiments.tags import normal
from dashboard.experiments.words import folded
from dashboard.servers.models import Server

LONGEST = 200
MOST_WORDS = 8  # those after it are not asked for


def found(asked: Mapping[str, Any], user: Any) -> QuerySet[Experiment]:
    """Newest first; of the deleted those that were deleted last. `asked`: what is empty or missing does not narrow.
    {"words": str, "state", "recipe": str, "server": id, "tag": str, "mine", "deleted": bool}"""
    narrowed = [rule(value, user) for name, rule in RULES.items() if (value := asked.get(name))]
    rows = queries.deleted() if asked.get("deleted") else queries.listed()
    return rows.filter(reduce(and_, narrowed, Q()))


def _words(text: str, _: Any) -> Q:
    """Every word somewhere: in what `words` knows, the present name or build of a server, or a tag."""
    return reduce(and_, map(_word, text.split()[:MOST_WORDS]), Q())


def _word(word: str) -> Q:
    known = folded(word)
    names = Server.objects.values_list("pk", "name", "build")
    servers = [pk for pk, name, build in names if known in folded(f"{name}\n{build}")]
    tagged = Experiment.tags.through.objects.filter(tag__name__contains=normal(word))
    anywhere = Q(pk__in=Words.objects.filter(text__contains=known).values("pk"))
    return anywhere | Q(pk__in=tagged.values("experiment")) | (_on(servers) if servers else Q())


def _on(servers: list[int]) -> Q:
    """Read from indexes of (server, experiment) alone."""
    return Q(pk__in=Cell.objects.filter(server__in=servers).order_by().values("experiment")) | Q(
        pk__in=Trial.objects.filter(server__in=servers).order_by().values("experiment")
    )


def _tag(name: str, _: Any) -> Q:
    """One that nobody gave finds nothing."""
    tag = Tag.objects.filter(name=normal(name)).values("pk")
    return Q(pk__in=Experiment.tags.through.objects.filter(tag__in=tag).values("experiment"))


RULES = {
    "words": _words,
    "state": lambda state, _: Q(state=state),
    "recipe": lambda recipe, _: Q(recipe=recipe),
    "server": lambda server, _: _on([server]),
    "tag": _tag,
    "mine": lambda _, user: Q(created_by=user),
}
