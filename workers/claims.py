"""Rows that workers claim: cells and crash trials. Each is claimed by one conditional UPDATE, and the moment of the
claim is its mark: a worker that was taken for dead and comes back holds an old mark and cannot write."""

from typing import TypeVar

from django.db.models import QuerySet
from django.utils import timezone

from dashboard.experiments.models import Cell, Experiment, Trial
from workers.errors import DurascopeError

State = Cell.State  # a trial's states are a cell's
Row = TypeVar("Row", Cell, Trial)


def claim(rows: QuerySet[Row], experiment: Experiment) -> Row | None:
    """The next waiting one, now running; None when none is left, or the experiment was taken from its worker."""
    ours = rows.filter(experiment__worker=experiment.worker_id, experiment__state=Experiment.State.RUNNING)
    waiting = ours.filter(state=State.WAITING)
    for row in waiting.order_by("position")[:3]:
        row.started_at = timezone.now()
        if waiting.filter(pk=row.pk).update(state=State.RUNNING, started_at=row.started_at, error="", mend=""):
            return row
    return None


def claimed(row: Row) -> QuerySet[Row]:
    """The row, as long as it is this claim's."""
    return type(row).objects.filter(pk=row.pk, state=State.RUNNING, started_at=row.started_at)


def end(row: Row, state: str, failure: DurascopeError | None = None) -> None:
    """Leave a row without a result: it failed, or was stopped."""
    claimed(row).update(
        state=state,
        ended_at=timezone.now(),
        error=failure.message if failure else "",
        mend=failure.mend if failure else "",
    )
