"""Finds changes of figures. The next measurement confirms or refutes them."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import pairwise
from statistics import median

from django.db import transaction

from dashboard.history import news
from dashboard.history.entries import IDENTITY
from dashboard.records.history.figures import of_kind
from dashboard.records.history.models import Change, Entry, Track
from dashboard.records.history.queries import ACCEPTED, EntryRow, EntryValue, figured, rows, standing, values
from workers.analysis.change_points import NEAR, change_points, confirms

State = Change.State


def look(tracks: Sequence[Track], now: datetime) -> None:
    """The number of questions does not depend on how many they are."""
    ids = [track.pk for track in tracks]
    entries = _entries(tracks)
    known: defaultdict[tuple[int, str], list[Change]] = defaultdict(list)
    for change in Change.objects.filter(track__in=ids):
        known[change.track_id, change.figure].append(change)
    for track in tracks:
        for figure in of_kind(track.kind):
            _search(track, figure, figured(figure, entries[track.pk]), known[track.pk, figure], now)
    Track.objects.filter(pk__in=ids, watched_since=None).update(watched_since=now)
    with transaction.atomic():
        # Who writes an entry updates its track first; all lock in one order.
        list(Track.objects.filter(pk__in=ids).order_by(*IDENTITY).select_for_update())
        again = _entries(tracks)
        seen = [pk for pk in ids if again[pk] == entries[pk]]  # of others an entry was written or rewritten meanwhile
        Track.objects.filter(pk__in=seen).update(unlooked=False)


def _entries(tracks: Iterable[Track]) -> defaultdict[int, list[EntryRow]]:
    """Track id -> its entries in time."""
    entries: defaultdict[int, list[EntryRow]] = defaultdict(list)
    for row in rows(tracks):
        entries[row.track_id].append(row)
    return entries


def _search(track: Track, figure: str, found: Sequence[EntryValue], known: Sequence[Change], now: datetime) -> None:
    """From the last accepted change on: values before it are on another level."""
    places = _places(found)
    begin = _begin(known, places, len(found))
    points = change_points([one.value for one in found[begin:]])
    bounds = [begin, *(begin + point.at for point in points), len(found)]
    for point, (start, place), (_, end) in zip(points, pairwise(bounds), pairwise(bounds[1:]), strict=False):
        near = _near(known, places, place)
        since = len(found) - place
        if near and (near.state != State.NOT_CONFIRMED or since < 2 * near.nights_after):
            continue  # suspected again only when twice as many nights show it
        fields: dict[str, object] = {
            "found_with_id": found[-1].entry_id,
            "state": State.PAST if track.watched_since is None else State.SUSPECTED,
            "before": median(one.value for one in found[start:place]),
            "after": median(one.value for one in found[place:end]),
            "p": point.p,
            "nights_after": since,
            "found_at": now,
        }
        _suspect(track, figure, near, found[place].entry_id, fields)


def _places(found: Sequence[EntryValue]) -> dict[int, int]:
    return {one.entry_id: place for place, one in enumerate(found)}


def _begin(known: Iterable[Change], places: dict[int, int], before: int) -> int:
    """The place where the level before `before` begins."""
    accepted = (places[one.first_id] for one in known if one.state in ACCEPTED and one.first_id in places)
    return max((place for place in accepted if place < before), default=0)


def _near(known: Iterable[Change], places: dict[int, int], place: int) -> Change | None:
    """The known change next to this place. One that stands is preferred to one that was not confirmed."""
    away = {one: abs(places[one.first_id] - place) for one in known if one.first_id in places}
    close = [one for one in away if away[one] <= NEAR]
    return min(close, key=lambda one: (one.state == State.NOT_CONFIRMED, away[one]), default=None)


def _suspect(track: Track, figure: str, near: Change | None, first_id: int, fields: dict[str, object]) -> None:
    if near is None:
        Change.objects.get_or_create(track=track, figure=figure, first_id=first_id, defaults=fields)
        return
    again = {**fields, "first_id": first_id, "decided_at": None, "decided_by": None, "rerun": None, "problem": ""}
    Change.objects.filter(pk=near.pk, state=State.NOT_CONFIRMED).update(**again)


def judge(now: datetime) -> None:
    """Decide suspected changes that were measured again, and report the confirmed ones."""
    open_ones = standing().filter(state=State.SUSPECTED).select_related("track__server", "first", "found_with")
    decided = [(change, said) for change in open_ones if (said := _decide(change)) is not None]
    with transaction.atomic():  # store and report together
        confirmed = [change for change, said in decided if _close(change, now, *said)]
        news.tell(confirmed)


def _decide(change: Change) -> tuple[str, EntryValue | None, int, str] | None:
    """(state, deciding measurement, nights since the change, why not); None: not measured since."""
    found = values(change.track, change.figure)
    places = _places(found)
    if change.first_id not in places or change.found_with_id not in places:
        measured = Entry.objects.filter(track_id=change.track_id, pk__gt=change.found_with_id).exists()
        return (State.NOT_CONFIRMED, None, 0, "The sources changed.") if measured else None
    again = places[change.found_with_id] + 1
    if again >= len(found):
        return None
    place = places[change.first_id]
    begin = _begin(change.track.changes.filter(figure=change.figure), places, place)
    stands = confirms([one.value for one in found[begin : again + 1]], place - begin)
    return (State.CONFIRMED if stands else State.NOT_CONFIRMED, found[again], again + 1 - place, "")


def _close(change: Change, now: datetime, state: str, by: EntryValue | None, nights_after: int, problem: str) -> bool:
    """Whether this round confirmed it."""
    fields = {"state": state, "decided_at": now, "decided_by_id": by.entry_id if by else None}
    fields |= {"nights_after": nights_after, "problem": problem or change.problem}
    mine = Change.objects.filter(pk=change.pk, state=State.SUSPECTED).update(**fields)
    change.again = by.value if by else None
    return bool(mine) and state == State.CONFIRMED
