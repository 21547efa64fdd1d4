"""The finished share of an experiment, and the time that the rest will take on this machine."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from statistics import mean

from django.db.models import Count, F, Min, Q, QuerySet, Sum, Value
from django.utils import timezone

from dashboard.records.experiments.models import Cell, Experiment, Trial
from dashboard.records.experiments.states import ENDED
from workers.bench.crash_review import trial_s
from workers.errors import PlanError

EARLIER = 10  # trials of other experiments that are asked how fast this host is
ENOUGH = 3  # cells or trials of a kind that must end before their mean alone counts


@dataclass
class Pace:
    """The cells of an experiment, or its trials of one kind: a load of which each crash point is tried takes a hundred
    times as long as a kill. `took_s`: seconds spent on the ended ones; `running_s`: on the running one so far."""

    states: Counter[str] = field(default_factory=Counter)
    took_s: float = 0.0
    running_s: float = 0.0

    @property
    def total(self) -> int:
        return self.states.total()

    @property
    def over(self) -> int:
        return sum(self.states[state] for state in ENDED)

    def left_s(self, planned_s: float) -> float:
        """From the mean of the ended ones, together with one as planned while fewer than ENOUGH ended. The running one
        may already have taken longer."""
        known = (self.took_s, self.over) if self.over >= ENOUGH else (self.took_s + planned_s, self.over + 1)
        each_s = max(known[0] / known[1], self.running_s)
        return (self.total - self.over) * each_s - self.running_s


@dataclass(frozen=True)
class Paces:
    """`trials`: by crash kind or fault."""

    cells: Pace
    trials: dict[str, Pace]

    def count(self, *states: str) -> int:
        return sum(one.states[state] for one in self._all for state in states)

    @property
    def total(self) -> int:
        return sum(one.total for one in self._all)

    @property
    def _all(self) -> Iterable[Pace]:
        return (self.cells, *self.trials.values())


def paces(experiment: Experiment) -> Paces:
    cells = _grouped(experiment.cells.all(), Value("")).get("", Pace())
    return Paces(cells, _grouped(experiment.trials.all(), F("kind")))


@dataclass(frozen=True)
class TimeLeft:
    """`is_least`: no crash trial has shown yet how fast this host is. The plan's figures are those of a quiet one."""

    seconds: float
    is_least: bool = False


def left(experiment: Experiment, known: Paces) -> TimeLeft | None:
    """Only the durations of cells and trials count: an experiment may wait for days before a person resumes it. Trials
    of which none of their kind ended take as much longer than planned as those that did, here or in earlier ones."""
    if experiment.is_over or not known.total:
        return None
    planned = _planned(experiment, known)
    of_trials_s = sum(one.total * planned[kind] for kind, one in known.trials.items())
    each_cell_s = max(0.0, experiment.estimate_s - of_trials_s) / max(1, known.cells.total)
    expected_s = sum(one.over * planned[kind] for kind, one in known.trials.items())
    took_s = sum(one.took_s for one in known.trials.values())
    slower = took_s / expected_s if expected_s else _slower_before(experiment, known.trials)
    rest_s = sum(one.left_s((slower or 1.0) * planned[kind]) for kind, one in known.trials.items())
    return TimeLeft(known.cells.left_s(each_cell_s) + rest_s, is_least=slower is None)


def _slower_before(experiment: Experiment, kinds: Mapping[str, Pace]) -> float | None:
    """How many times as long as planned the latest trials of these kinds took at this site; None: there are none, and
    some are to come."""
    if not kinds:
        return 1.0
    tried = Trial.objects.filter(kind__in=kinds, state=Trial.State.DONE, server__site=experiment.site)
    tried = tried.filter(experiment__imported_at=None).exclude(experiment=experiment).select_related("experiment")
    took_s = expected_s = 0.0
    for one in tried.order_by("-pk")[:EARLIER]:
        with suppress(PlanError):
            plan = one.experiment.as_plan()
            expected_s += mean(trial_s(plan.crash, one.kind, variant) for variant in plan.variants)
            took_s += (one.ended_at - one.started_at).total_seconds() if one.ended_at and one.started_at else 0.0
    return took_s / expected_s if expected_s else None


def _planned(experiment: Experiment, known: Paces) -> dict[str, float]:
    """Seconds of a trial, by kind. All alike where a newer version made the plan."""
    try:
        plan = experiment.as_plan()
    except PlanError:
        return dict.fromkeys(known.trials, experiment.estimate_s / known.total)
    return {kind: mean(trial_s(plan.crash, kind, one) for one in plan.variants) for kind in known.trials}


def _grouped(rows: QuerySet[Cell] | QuerySet[Trial], by: F | Value) -> dict[str, Pace]:
    took = Sum(F("ended_at") - F("started_at"), filter=Q(state__in=ENDED))
    states = rows.order_by().annotate(group=by).values_list("group", "state")
    found: defaultdict[str, Pace] = defaultdict(Pace)
    for group, state, count, took_there, since in states.annotate(n=Count("pk"), took=took, since=Min("started_at")):
        pace = found[group]
        pace.states[state] = count
        pace.took_s += (took_there or timedelta()).total_seconds()
        pace.running_s = max(pace.running_s, _since(since) if state == Cell.State.RUNNING else 0.0)
    return found


def _since(began: datetime | None) -> float:
    return max(0.0, (timezone.now() - began).total_seconds()) if began else 0.0
