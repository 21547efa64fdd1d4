"""The finished share of an experiment, and the time that the rest will take on this machine."""

from collections import Counter
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Count, F, Q, QuerySet, Sum

from dashboard.records.experiments.models import Cell, Experiment, Trial
from dashboard.records.experiments.states import ENDED

ENOUGH = 3  # cells or trials that must end before their mean counts


@dataclass(frozen=True)
class Pace:
    """The cells of an experiment, or its trials. `took_s`: seconds spent on the ended ones."""

    states: Counter[str]
    took_s: float

    @property
    def total(self) -> int:
        return self.states.total()

    @property
    def over(self) -> int:
        return sum(self.states[state] for state in ENDED)

    def left_s(self, each_s: float) -> float:
        """From the mean of the ended ones; from `each_s` while fewer than ENOUGH ended."""
        return (self.total - self.over) * (self.took_s / self.over if self.over >= ENOUGH else each_s)


def paces(experiment: Experiment) -> tuple[Pace, Pace]:
    return _pace(experiment.cells.all()), _pace(experiment.trials.all())


def left_s(experiment: Experiment, cells: Pace, trials: Pace) -> float | None:
    """Seconds left. Only the durations of cells and trials count: an experiment may wait for days before a person
    resumes it."""
    total = cells.total + trials.total
    if experiment.is_over or not total:
        return None
    planned_s = experiment.estimate_s / total
    return cells.left_s(planned_s) + trials.left_s(planned_s)


def _pace(rows: QuerySet[Cell] | QuerySet[Trial]) -> Pace:
    took = Sum(F("ended_at") - F("started_at"), filter=Q(state__in=ENDED))
    found = rows.order_by().values_list("state").annotate(n=Count("pk"), took=took)
    states: Counter[str] = Counter()
    spent = timedelta()
    for state, count, took_there in found:
        states[state] = count
        spent += took_there or timedelta()
    return Pace(states, spent.total_seconds())
