"""The states of experiments, cells, trials and parts: which state may follow which, and what a state allows.

`move` writes every change of a state, as a conditional UPDATE made from this table: a change that the table does not
list changes no row. Only a new row gets its first state elsewhere.
"""

from typing import TypeVar

from django.db.models import Model, QuerySet, TextChoices

Row = TypeVar("Row", bound=Model)


class ExperimentState(TextChoices):
    QUEUED = "queued", "queued"
    RUNNING = "running", "running"
    DONE = "done", "finished"
    FAILED = "failed", "failed"
    CANCELLED = "cancelled", "cancelled"
    INTERRUPTED = "interrupted", "interrupted"


class CellState(TextChoices):
    WAITING = "waiting", "waiting"
    RUNNING = "running", "running"
    DONE = "done", "measured"
    FAILED = "failed", "failed"
    CANCELLED = "cancelled", "cancelled"
    INTERRUPTED = "interrupted", "interrupted"


class PartState(TextChoices):
    WAITING = "waiting", "waiting"
    TAKEN = "taken", "taken"
    READY = "ready", "ready"
    RUNNING = "running", "running"
    STOPPING = "stopping", "stopping"
    DONE = "done", "measured"
    FAILED = "failed", "failed"


E, C, P = ExperimentState, CellState, PartState
CELL: dict[str, tuple[str, ...]] = {
    C.WAITING: (C.RUNNING, C.CANCELLED),
    C.RUNNING: (C.DONE, C.FAILED, C.CANCELLED, C.INTERRUPTED),
    C.DONE: (),
    C.FAILED: (C.WAITING,),  # by resuming the experiment; also the next two
    C.CANCELLED: (C.WAITING,),
    C.INTERRUPTED: (C.WAITING,),
}
FOLLOWS: dict[str, dict[str, tuple[str, ...]]] = {
    "Experiment": {
        E.QUEUED: (E.RUNNING, E.FAILED, E.CANCELLED),
        E.RUNNING: (E.DONE, E.FAILED, E.CANCELLED, E.INTERRUPTED),
        E.DONE: (E.QUEUED,),  # by resuming, or repeating a trial; also the next three
        E.FAILED: (E.QUEUED,),
        E.CANCELLED: (E.QUEUED,),
        E.INTERRUPTED: (E.QUEUED,),
    },
    "Cell": CELL,
    "Trial": CELL,
    "Part": {
        P.WAITING: (P.TAKEN, P.FAILED),
        P.TAKEN: (P.READY, P.STOPPING, P.FAILED),
        P.READY: (P.RUNNING, P.STOPPING, P.FAILED),
        P.RUNNING: (P.DONE, P.STOPPING, P.FAILED),
        P.STOPPING: (P.FAILED,),
        P.DONE: (),
        P.FAILED: (),
    },
}

# An experiment
UNDER_WAY = (E.QUEUED, E.RUNNING)  # may be cancelled
OVER = (E.DONE, E.FAILED, E.CANCELLED, E.INTERRUPTED)  # may be resumed, exported and deleted, its trials repeated
BROKEN_OFF = (E.FAILED, E.INTERRUPTED)  # no person ended it
# A cell or trial
ENDED = (C.DONE, C.FAILED)  # has an outcome; a trial may be repeated
OPEN = (C.WAITING, C.RUNNING, C.CANCELLED, C.INTERRUPTED)  # has none yet
# A part
AT_WORK = (P.TAKEN, P.READY, P.RUNNING)  # a worker works on it
LOAD_OVER = (P.DONE, P.FAILED)


def before(model: type[Model], state: str) -> list[str]:
    return [earlier for earlier, later in FOLLOWS[model.__name__].items() if state in later]


def move(rows: QuerySet[Row], state: str, **fields: object) -> int:
    """Change the state of those rows that may have it next. Returns how many were changed."""
    return rows.filter(state__in=before(rows.model, state)).update(state=state, **fields)
