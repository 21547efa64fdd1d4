"""The data of one history page of a server: tracks under one condition, their newest entries, and changes."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property

from django.db.models import OuterRef, Subquery

from dashboard.findings.grouped import grouped
from dashboard.findings.lines import looks_of
from dashboard.findings.looks import Look, looks, repeated
from dashboard.records.experiments.models import Experiment
from dashboard.records.history import queries
from dashboard.records.history.figures import FIGURES
from dashboard.records.history.models import Change, Entry, Track
from dashboard.records.servers.models import Server
from dashboard.text.asked import asked_number
from workers.bench.plan import Plan

NIGHTS = (90, 30, 400, 2000)  # the first is shown unless another is chosen
UNSHOWN = tuple(f"rerun__{name}" for name in ("plan", "analysis", "claims", "outcomes"))
DIGEST = re.compile("[0-9a-f]{16}")


@dataclass(frozen=True)
class Condition:
    """`key`: digest; `says`: in words."""

    key: str
    says: str


@dataclass(frozen=True)
class TrackLine:
    track: Track
    name: str
    colour: int
    dash: int
    entries: tuple[queries.EntryRow, ...]


@dataclass(frozen=True)
class Marked:
    """All changes that begin with one experiment, their number on the page, and the differences in the environment."""

    number: int
    changes: Sequence[Change]
    differed: Sequence[queries.Difference]

    @property
    def at(self) -> datetime:
        return self.changes[0].first.at

    @property
    def is_sure(self) -> bool:
        return any(one.state in queries.ACCEPTED for one in self.changes)


@dataclass(frozen=True)
class HistoryView:
    """`newest`: id of a track -> its newest entry. `chosen`: kind of track -> key of its condition, "" if there is
    none."""

    server: Server
    tracks: Sequence[Track]
    newest: Mapping[int, datetime]
    chosen: Mapping[str, str]
    nights: int

    def conditions(self, kind: str) -> list[Condition]:
        """Those with entries, without duplicates."""
        met = {track.condition: track.says for track in self.tracks if track.kind == kind and track.pk in self.newest}
        return [Condition(key, says) for key, says in sorted(met.items(), key=lambda item: item[1])]

    @cached_property
    def lines(self) -> dict[str, list[TrackLine]]:
        """Kind -> its tracks that have shown entries, from one query."""
        return {kind: self._lines(kind) for kind in self.chosen}

    def _lines(self, kind: str) -> list[TrackLine]:
        tracks = [one for one in self.tracks if one.kind == kind and one.condition == self.chosen[kind]]
        found = grouped((one.track_id, one) for one in queries.rows(tracks, self.nights))
        twice = {one.variant for one in tracks if [other.variant for other in tracks].count(one.variant) > 1}
        return [
            TrackLine(one, _name(one, twice), look.colour, look.dash, tuple(found[one.pk]))
            for one, look in zip(tracks, self._looks(tracks), strict=True)
            if one.pk in found
        ]

    def _looks(self, tracks: Sequence[Track]) -> list[Look]:
        """As the newest result page draws the variants; those that it does not have get the looks that are left."""
        known = Entry.objects.filter(track__in=tracks).exclude(experiment__in=Experiment.deleted.ids())
        newest = known.order_by("-at", "-pk").values_list("experiment__plan", flat=True).first()
        own = looks_of(Plan.from_dict(newest), self.server.pk) if newest else {}
        names = [one.variant for one in tracks]
        others = [name for name in dict.fromkeys(names) if name not in own]
        return list(repeated(names, own | dict(zip(others, looks(others, own.values()), strict=True))))

    @cached_property
    def changes(self) -> list[Marked]:
        """Of the shown entries, newest first."""
        lines = {line.track.pk: line for lines in self.lines.values() for line in lines}
        known = queries.standing().filter(track__in=lines)
        known = known.select_related("first", "decided_by", "rerun").defer(*UNSHOWN)
        seen = [one for one in known if one.first.at > lines[one.track_id].entries[0].at]
        gone = set(Experiment.deleted.ids().values_list("pk", flat=True))
        for one in seen:
            one.track = lines[one.track_id].track
            if one.rerun_id in gone:
                one.rerun = None
            if one.decided_by and one.decided_by.experiment_id in gone:
                one.decided_by = None
        differ = queries.differences(seen, {pk: line.entries for pk, line in lines.items()})
        return [Marked(n, *one) for n, one in enumerate(_together(seen, differ), start=1)]

    def marked(self, figure: str) -> list[Marked]:
        """The changes of one figure, except those that were not confirmed."""
        refuted = Change.State.NOT_CONFIRMED
        drawn = ([c for c in one.changes if c.figure == figure and c.state != refuted] for one in self.changes)
        return [replace(one, changes=mine) for one, mine in zip(self.changes, drawn, strict=True) if mine]

    def lines_of(self, figure: str) -> list[TrackLine]:
        return self.lines.get(FIGURES[figure].kind, [])


def _together(
    seen: Sequence[Change], differ: Mapping[int, Sequence[queries.Difference]]
) -> list[tuple[list[Change], list[queries.Difference]]]:
    """Changes by their first experiment, each difference once."""
    found = grouped((one.first.experiment_id, one) for one in seen)
    return [(same, list(dict.fromkeys(d for one in same for d in differ[one.pk]))) for same in found.values()]


def _name(track: Track, twice: set[str]) -> str:
    """With the settings, if several settings have this name."""
    return f"{track.variant} ({track.means or 'no settings'})" if track.variant in twice else track.variant


def shown(server: Server, choice: Mapping[str, str]) -> HistoryView:
    """For a query string. Unknown values are ignored; then the condition that was measured last is shown."""
    kept = Entry.objects.filter(track=OuterRef("pk")).exclude(experiment__in=Experiment.deleted.ids())
    last = kept.order_by("-at", "-pk").values("at")[:1]  # Max would read all entries of the server
    tracks = list(server.tracks.annotate(last=Subquery(last)).order_by("pk"))
    newest = {track.pk: track.last for track in tracks if track.last}
    chosen = {kind: _chosen(tracks, newest, kind, choice.get(kind, "")) for kind in Track.Kind.values}
    asked = asked_number(choice.get("nights"))
    nights = asked if asked in NIGHTS else NIGHTS[0]
    return HistoryView(server, tracks, newest, chosen, nights)


def _chosen(tracks: Sequence[Track], newest: Mapping[int, datetime], kind: str, asked: str) -> str:
    mine = [track for track in tracks if track.kind == kind and track.pk in newest]
    if DIGEST.fullmatch(asked) and any(track.condition == asked for track in mine):
        return asked
    return max(mine, key=lambda track: (newest[track.pk], track.pk)).condition if mine else ""
