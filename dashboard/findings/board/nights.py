"""The throughput of the last 14 nights of each server."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from dashboard.findings.grouped import grouped
from dashboard.records.experiments.models import Experiment
from dashboard.records.history.models import Entry, Track

NIGHTS = 14
MOST = 20_000  # entries that are read


@dataclass(frozen=True)
class FewNights:
    """`tps`: of each night, oldest first; None: not measured. `counts`: what they count in a second."""

    first: date
    tps: tuple[float | None, ...]
    variant: str
    counts: str

    @property
    def last_tps(self) -> float:
        return next((one for one in reversed(self.tps) if one is not None), 0.0)


def few_nights(server_ids: Collection[int], now: datetime) -> dict[int, FewNights]:
    """Server id -> its setting that was measured in the most of these nights. One query."""
    first = (now - timedelta(days=NIGHTS - 1)).date()
    known = Entry.objects.filter(track__server__in=server_ids, track__kind=Track.Kind.LOAD, tps__isnull=False)
    recent = known.filter(at__date__gte=first).exclude(experiment__in=Experiment.deleted.ids())
    columns = ("track__server", "track", "track__variant", "track__counts", "at", "tps")
    rows = recent.order_by("at").values_list(*columns)[:MOST]
    by_track = grouped(((server, track, variant, counts), (at.date(), tps))
                       for server, track, variant, counts, at, tps in rows)  # fmt: skip
    found: dict[int, tuple[int, FewNights]] = {}
    for (server, _, variant, counts), nights in by_track.items():
        tps = dict(nights)
        if len(tps) > found.get(server, (0,))[0]:
            days = (tps.get(first + timedelta(days=n)) for n in range(NIGHTS))
            found[server] = len(tps), FewNights(first, tuple(days), variant, counts)
    return {server: one for server, (_, one) in found.items()}
