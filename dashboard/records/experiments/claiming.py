"""How workers claim experiments, cells and crash trials.

Each claim is one conditional UPDATE that stores a fencing token: a new number in `Experiment.claim`, the time in
`started_at` of a cell or trial. Every later write checks the token. A worker that was taken for dead and comes back
holds an old token and cannot write, even if it has claimed the experiment again meanwhile.

The condition names only columns of the row itself. A condition on other tables is no lock: after waiting for the row,
PostgreSQL rereads that row only."""

from datetime import datetime
from typing import TypeVar

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from dashboard.installation.retry import retried
from dashboard.records.experiments.models import Cell, Experiment, Trial
from dashboard.records.experiments.states import move
from workers.errors import DurascopeError, Taken, reason
from workers.servers.printable import sentence

State = Cell.State  # a trial's states are a cell's
Row = TypeVar("Row", Cell, Trial)


def claimed_experiment(experiment: Experiment) -> QuerySet[Experiment]:
    """The experiment's row, while the claim with which `experiment` was read is valid."""
    return Experiment.objects.filter(pk=experiment.pk, state=Experiment.State.RUNNING, claim=experiment.claim)


@retried
@transaction.atomic
def require_claim(experiment: Experiment) -> None:
    """Raises Taken. Within a transaction the claim stays valid until the end of the transaction."""
    if not claimed_experiment(experiment).select_for_update().first():
        raise Taken(
            "This worker sent no heartbeat for too long, and the experiment was taken from it.",
            "This worker changed nothing more. Another worker restores the settings.",
        )


@retried
def waits(rows: QuerySet[Row]) -> bool:
    return rows.filter(state=State.WAITING).exists()


def claim(rows: QuerySet[Row], experiment: Experiment) -> Row | None:
    """Claim the next waiting row. None if no row waits, or if the experiment was taken from its worker."""
    return _claim(rows, experiment, timezone.now())


@retried
@transaction.atomic
def _claim(rows: QuerySet[Row], experiment: Experiment, mark: datetime) -> Row | None:
    """The experiment's lock stops others from taking the experiment away meanwhile. A row with this mark was claimed by
    an earlier try whose answer was lost."""
    if claimed_experiment(experiment).select_for_update().first() is None:
        return None
    if mine := rows.filter(state=State.RUNNING, started_at=mark).first():
        return mine
    row = rows.filter(state=State.WAITING).order_by("position").first()
    if row is None:
        return None
    row.started_at = mark
    taken = move(rows.filter(pk=row.pk), State.RUNNING, started_at=mark, error="", fix="")
    return row if taken else None


def mark_of(row: Cell | Trial) -> datetime:
    """The time that identifies the claim of a row."""
    if row.started_at is None:
        raise ValueError(f"{row} is not claimed")
    return row.started_at


def claimed(row: Row) -> QuerySet[Row]:
    return type(row).objects.filter(pk=row.pk, state=State.RUNNING, started_at=row.started_at)


@retried
def still_claimed(row: Row) -> bool:
    return claimed(row).exists()


@retried
def end(row: Row, state: str, failure: DurascopeError | None = None) -> None:
    """End a row without a result: it failed or was stopped."""
    move(
        claimed(row),
        state,
        ended_at=timezone.now(),
        error=sentence(failure.message or reason(failure)) if failure else "",
        fix=sentence(failure.fix) if failure else "",
    )
