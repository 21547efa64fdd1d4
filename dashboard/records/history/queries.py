"""Reads tracks: values in time, changes, and differences between environments."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from django.db.models import F, QuerySet, Window
from django.db.models.functions import RowNumber

from dashboard.records.experiments import environment
from dashboard.records.experiments.models import Environment, Experiment
from dashboard.records.experiments.states import OVER
from dashboard.records.history.figures import FIGURES
from dashboard.records.history.models import Change, Entry, Track

ACCEPTED = (Change.State.CONFIRMED, Change.State.PAST)
Difference = tuple[str, str, str]  # fact, value before, value after


class EntryValue(NamedTuple):
    entry_id: int
    experiment_id: int
    at: datetime
    value: float


class EntryRow(NamedTuple):
    """An entry as pages read it: a light type, because pages read thousands."""

    pk: int
    track_id: int
    experiment_id: int
    environment_id: int | None
    at: datetime
    repeats: int
    tps: float | None
    tps_lo: float | None
    tps_hi: float | None
    p99_ms: float | None
    fsyncs: float | None
    fsyncs_from: str
    lost_engine: float | None
    lost_binlog: float | None
    outage_ms: float | None


def not_noted() -> QuerySet[Experiment]:
    """Ended experiments whose entries are not written, oldest first."""
    ended = Experiment.objects.filter(state__in=OVER, ended_at__isnull=False, imported_at=None)
    return ended.exclude(noted__ended_at=F("ended_at")).order_by("ended_at", "pk")


def values(track: Track, figure: str) -> list[EntryValue]:
    """The known values of a figure, in time."""
    return figured(figure, rows([track]))


def rows(tracks: Iterable[Track], newest: int | None = None) -> list[EntryRow]:
    """Entries in time; `newest`: at most so many of each track."""
    kept = Entry.objects.filter(track__in=tracks).exclude(experiment__in=Experiment.deleted.ids())
    if newest is not None:
        place = Window(RowNumber(), partition_by="track", order_by=("-at", "-pk"))
        kept = kept.alias(place=place).filter(place__lte=newest)
    return [EntryRow._make(row) for row in kept.order_by("at", "pk").values_list(*EntryRow._fields)]


def standing() -> QuerySet[Change]:
    """Changes whose measurements exist. While one of these is deleted, the change is neither shown nor decided."""
    gone = Experiment.deleted.ids()
    return Change.objects.exclude(first__experiment__in=gone).exclude(found_with__experiment__in=gone)


def figured(figure: str, entries: Sequence[EntryRow]) -> list[EntryValue]:
    """Values that can be compared: fsyncs of the same files by the same sources as in the newest entry."""
    column = FIGURES[figure].column
    known = [one for one in entries if getattr(one, column) is not None]
    if column == "fsyncs" and known:
        known = [one for one in known if one.fsyncs_from == known[-1].fsyncs_from]
    return [EntryValue(one.pk, one.experiment_id, one.at, getattr(one, column)) for one in known]


def differences(changes: Sequence[Change], entries: Mapping[int, Sequence[EntryRow]]) -> dict[int, list[Difference]]:
    """Change id -> differences between the environments of the last entry before it and the first after it. `entries`:
    of each change's track."""
    pairs = {one.pk: (_before(one, entries[one.track_id]), one.first.environment_id) for one in changes}
    ids = {one for pair in pairs.values() for one in pair if one is not None}
    known = {one.pk: one.known for one in Environment.objects.filter(pk__in=ids)}
    differ = {pair: _differ([known[one] for one in pair if one in known]) for pair in pairs.values()}
    return {pk: differ[pair] for pk, pair in pairs.items()}


def _before(change: Change, entries: Sequence[EntryRow]) -> int | None:
    """The environment of the last entry before a change that has its figure."""
    column = FIGURES[change.figure].column
    earlier = (one for one in reversed(entries) if one.at < change.first.at and getattr(one, column) is not None)
    return next((one.environment_id for one in earlier), None)


def _differ(both: Sequence[environment.EnvironmentFacts]) -> list[Difference]:
    """Nothing, unless both environments are known."""
    return [(name, old, new) for name, (old, new) in environment.differences(both)] if len(both) == 2 else []
