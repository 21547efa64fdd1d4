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

from dashboard.installation.nul import without_nul
from dashboard.installation.retry import retried
from dashboard.records.experiments.models import Cell, Experiment, Trial
from dashboard.records.experiments.states import move
from workers.errors import DurascopeError, Taken, reason

State = Cell.State  # a trial's states are a cell's
Row = TypeVar("Row", Cell, Trial)


def claimed_experiment(experiment: Experiment) -> QuerySet[Experiment]:
    """The experiment's row, as long as the claim that `experiment` was read under holds."""
    return Experiment.objects.filter(pk=experiment.pk, state=Experiment.State.RUNNING, claim=experiment.claim)


@retried
@transaction.atomic
def require_claim(experiment: Experiment) -> None:
    """Raises Taken. Within a transaction the claim holds until that ends."""
    if not claimed_experiment(experiment).select_for_update().first():
        raise Taken(
            "This worker sent no heartbeat for too long, and the experiment was taken from it.",
            "This worker changed nothing more. Another worker restores the settings.",
        )


@retried
def waits(rows: QuerySet[Row]) -> bool:
    """Whether something of these is still to be done."""
    return rows.filter(state=State.WAITING).exists()


def claim(rows: QuerySet[Row], experiment: Experiment) -> Row | None:
    """The next waiting one, now running; None when none is left, or the experiment was taken from its worker."""
    return _claim(rows, experiment, timezone.now())


@retried
@transaction.atomic
def _claim(rows: QuerySet[Row], experiment: Experiment, mark: datetime) -> Row | None:
    """Under the experiment's lock: nobody takes the experiment away meanwhile.
    A row that has the mark was claimed already, and the answer was lost."""
    if claimed_experiment(experiment).select_for_update().first() is None:
        return None
    if mine := rows.filter(state=State.RUNNING, started_at=mark).first():
        return mine
    row = rows.filter(state=State.WAITING).order_by("position").first()
    if row is None:
        return None
    row.started_at = mark
    taken = move(rows.filter(pk=row.pk), State.RUNNING, started_at=mark, error="", mend="")
    return row if taken else None


def mark_of(row: Cell | Trial) -> datetime:
    """By which the row's claim is known."""
    if row.started_at is None:
        raise ValueError(f"{row} is not claimed")
    return row.started_at


def claimed(row: Row) -> QuerySet[Row]:
    """The row, as long as it is this claim's."""
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
        error=without_nul(failure.message or reason(failure)) if failure else "",
        mend=without_nul(failure.fix) if failure else "",
    )
