"""What is noted of one round while it goes on, for the invariants to judge."""

from dataclasses import dataclass, field
from datetime import datetime

from dashboard.records.experiments.models import Cell, Experiment, Run, Trial

# Of an interrupted cell or trial, its experiment says why.
ENDED_BADLY = {Experiment: ("failed", "interrupted"), Cell: ("failed",), Trial: ("failed",)}


@dataclass(frozen=True)
class Said:
    """Why something ended badly, as a person reads it."""

    of: str
    state: str
    text: str


@dataclass
class Story:
    """`measured`: cell -> its run and the claim that it was measured under, since it was first seen as done.
    `unkept`: what had to hold while a fault lasted, and did not."""

    number: int
    shape: str
    experiments: list[int] = field(default_factory=list)
    faults: list[tuple[str, str]] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    measured: dict[int, tuple[int | None, datetime | None]] = field(default_factory=dict)
    verdicts: dict[int, str] = field(default_factory=dict)
    said: set[Said] = field(default_factory=set)
    unkept: list[str] = field(default_factory=list)
    resumes: int = 0
    broken: dict[str, list[str]] = field(default_factory=dict)
    tracebacks: dict[str, int] = field(default_factory=dict)

    def look(self) -> None:
        """Note what is done by now, and what is said of what ended badly: a resume removes it."""
        for cell, run in measured(self.experiments).items():
            self.measured.setdefault(cell, run)
        for pk, verdict in judged(self.experiments).items():
            self.verdicts.setdefault(pk, verdict)
        for model, states in ENDED_BADLY.items():
            self._listen(model, states)

    def _listen(self, model: type[Experiment | Cell | Trial], states: tuple[str, ...]) -> None:
        key = "pk__in" if model is Experiment else "experiment__in"
        rows = model.objects.filter(**{key: self.experiments}, state__in=states)
        for pk, state, error, fix in rows.values_list("pk", "state", "error", "fix"):
            self.said.add(Said(f"{model.__name__.lower()} {pk}", state, f"{error} {fix}".strip()))


def measured(experiments: list[int]) -> dict[int, tuple[int | None, datetime | None]]:
    """Cell -> run and claim of those that are done."""
    done = Cell.objects.filter(experiment__in=experiments, state=Cell.State.DONE)
    runs = dict(Run.objects.filter(cell__in=done).values_list("cell", "pk"))
    return {pk: (runs.get(pk), claimed) for pk, claimed in done.values_list("pk", "started_at")}


def judged(experiments: list[int]) -> dict[int, str]:
    done = Trial.objects.filter(experiment__in=experiments, state=Trial.State.DONE)
    return dict(done.values_list("pk", "verdict"))
