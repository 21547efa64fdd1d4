"""What is read of tracks: values in time, changes, and what differed in the environment."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from dashboard.experiments.models import Environment
from dashboard.history.figures import FIGURES
from dashboard.history.models import Change, Entry, Track
from dashboard.results import environment

ACCEPTED = (Change.State.CONFIRMED, Change.State.PAST)
Difference = tuple[str, str, str]  # what differs, before, after


@dataclass(frozen=True)
class Value:
    """A figure of one entry."""

    entry_id: int
    experiment_id: int
    at: datetime
    value: float


def values(track: Track, figure: str) -> list[Value]:
    """In time, of entries that know the figure."""
    return figured(figure, rows([track]))


def rows(tracks: Iterable[Track], newest: int | None = None) -> list[Entry]:
    """Entries in time; `newest`: only so many of all tracks together."""
    found = Entry.objects.filter(track__in=tracks).order_by("-at", "-pk")
    return list(found[:newest])[::-1]


def figured(figure: str, entries: Sequence[Entry]) -> list[Value]:
    """Only what can be compared: fsyncs of the same files by the same sources as the newest."""
    column = FIGURES[figure].column
    known = [one for one in entries if getattr(one, column) is not None]
    if column == "fsyncs" and known:
        known = [one for one in known if one.fsyncs_from == known[-1].fsyncs_from]
    return [Value(one.pk, one.experiment_id, one.at, getattr(one, column)) for one in known]


def differences(changes: Sequence[Change]) -> dict[int, list[Difference]]:
    """Change id -> what differs between the environments of the last entry before it and the first after it."""
    before = {change.pk: _entry_before(change) for change in changes}
    ids = {entry.environment_id for entry in before.values() if entry} | {one.first.environment_id for one in changes}
    data = dict(Environment.objects.filter(pk__in=ids - {None}).values_list("pk", "data"))
    return {one.pk: _differ(before[one.pk], one.first, data) for one in changes}


def _entry_before(change: Change) -> Entry | None:
    column = FIGURES[change.figure].column
    earlier = Entry.objects.filter(track_id=change.track_id, at__lt=change.first.at, **{f"{column}__isnull": False})
    return earlier.order_by("-at", "-pk").first()


def _differ(before: Entry | None, after: Entry, data: Mapping[int, Mapping[str, Any]]) -> list[Difference]:
    known = [data.get(one.environment_id) if one else None for one in (before, after)]
    if None in known or known[0] is known[1]:
        return []
    return [(name, *both) for name, both in environment.differences(known)]
