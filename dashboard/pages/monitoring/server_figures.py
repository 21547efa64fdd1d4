"""Figures of servers and their variants for Prometheus: those of the newest experiments, so that neither the time of an
answer nor its length grows with the installation."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from dashboard.records.experiments.models import Experiment
from dashboard.records.history.models import Entry, Track

NEWEST = 1000  # experiments that are read: one night of a very large installation
MOST_PAIRS = 2000  # servers with a variant; each is a series of every figure
Key = tuple[str, str]  # server, variant


@dataclass(frozen=True)
class PairFigures:
    """A server and a variant, by the newest experiment that measured it and the newest that crashed it. None: not
    measured. `lost`: acknowledged commits of one crash, the mean of the kind that lost most."""

    server: str
    variant: str
    at: datetime
    tps: float | None
    p99_ms: float | None
    lost: float | None


@dataclass(frozen=True)
class ServerFigures:
    """`left_out`: pairs of the newest experiments that are not among `pairs`."""

    pairs: Sequence[PairFigures]
    left_out: int


class _Row(NamedTuple):
    server: str
    variant: str
    kind: str
    experiment: int
    at: datetime
    tps: float | None
    p99_ms: float | None
    lost_engine: float | None
    lost_binlog: float | None

    @property
    def lost(self) -> float | None:
        return max((one for one in (self.lost_engine, self.lost_binlog) if one is not None), default=None)


COLUMNS = ("track__server__name", "track__variant", "track__kind", "experiment_id", "at", "tps", "p99_ms",
           "lost_engine", "lost_binlog")  # fmt: skip


def server_figures() -> ServerFigures:
    newest = list(Experiment.objects.order_by("-created_at", "-pk").values_list("pk", flat=True)[:NEWEST])
    found = Entry.objects.filter(experiment__in=newest).order_by("-at", "-pk").values_list(*COLUMNS)
    by_pair: dict[Key, list[_Row]] = {}
    for row in (_Row(*values) for values in found):
        by_pair.setdefault((row.server, row.variant), []).append(row)
    pairs = [_pair(key, rows) for key, rows in list(by_pair.items())[:MOST_PAIRS]]
    return ServerFigures(pairs, max(0, len(by_pair) - MOST_PAIRS))


def _pair(key: Key, rows: Sequence[_Row]) -> PairFigures:
    """`rows`: newest first."""
    load = _newest(row for row in rows if row.kind == Track.Kind.LOAD and row.tps is not None)
    fastest = max(load, key=lambda row: row.tps or 0, default=None)
    crashed = _newest(row for row in rows if row.kind != Track.Kind.LOAD and row.lost is not None)
    lost = max((row.lost for row in crashed if row.lost is not None), default=None)
    return PairFigures(*key, rows[0].at, fastest.tps if fastest else None, fastest.p99_ms if fastest else None, lost)


def _newest(rows: Iterable[_Row]) -> list[_Row]:
    """Those of the first row's experiment."""
    found = list(rows)
    return [row for row in found if row.experiment == found[0].experiment]
