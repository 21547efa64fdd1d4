"""What the guardrails of an experiment saw: limits, the values nearest to them, and what stopped it."""

from dataclasses import dataclass
from datetime import UTC, datetime

from dashboard.installation.stored import read
from dashboard.records.experiments.models import Experiment
from dashboard.text.numbers import duration
from workers.guardrails.limit import Limit, WatchRecord


@dataclass(frozen=True)
class WatchedFigure:
    """`nearest`: the value nearest to the limit or beyond it; None: it had no value."""

    limit: Limit
    nearest: float | None
    samples: int


@dataclass(frozen=True)
class GuardedServer:
    """`stopped`: which limit stopped the load, when, and how long restoring took; "": none did."""

    name: str
    record: WatchRecord
    stopped: str
    figures: tuple[WatchedFigure, ...]


def guarded_servers(experiment: Experiment) -> list[GuardedServer]:
    """One for each watch: a resumed experiment has several of a server."""
    found = []
    for watch in experiment.watches.select_related("server"):
        record = read(WatchRecord, watch.data)
        figures = tuple(_figure(limit, record.sampled.get(limit.key, [])) for limit in record.limits)
        stopped = _stopped(experiment, watch.server_id, record)
        found.append(GuardedServer(watch.server.name, record, stopped, figures))
    return found


def _figure(limit: Limit, values: list[float | None]) -> WatchedFigure:
    known = [value for value in values if value is not None]
    nearest = (min if limit.at_least else max)(known) if known else None
    return WatchedFigure(limit, nearest, len(known))


def _stopped(experiment: Experiment, server_id: int, record: WatchRecord) -> str:
    if record.trip is None:
        return ""
    at = datetime.fromtimestamp(record.trip.at, UTC)
    said = f"At {at:%H:%M:%S} UTC {record.trip.says}."
    changes = experiment.pending_restores.filter(server=server_id, noted_at__lte=at)  # later ones are of a resumed run
    if changes.filter(restored_at=None).exists():
        return f"{said} Not everything is restored yet: see the pending restores on the page of the server."
    last = changes.filter(restored_at__gte=at).order_by("restored_at").last()
    took_s = (last.restored_at - at).total_seconds() if last and last.restored_at else None
    return said if took_s is None else f"{said} Everything was restored {duration(took_s)} later."
