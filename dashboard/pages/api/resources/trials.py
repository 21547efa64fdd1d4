"""Crash trials: what was lost, and the evidence of each."""

from datetime import datetime
from typing import Literal, TypeAlias

from django.db.models import QuerySet
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Query, Router, Schema, Status
from ninja.pagination import paginate

from dashboard.pages.api.door import Token
from dashboard.pages.api.fields import Id
from dashboard.pages.api.paging import Pages
from dashboard.pages.results import queries
from dashboard.records.experiments import actions
from dashboard.records.experiments.models import Experiment, Trial
from dashboard.records.fleet import task_queue
from workers.bench.crash_choices import CHOICES

router = Router()
Kind: TypeAlias = Literal[tuple(CHOICES)]  # type: ignore[valid-type]
State: TypeAlias = Literal[tuple(Trial.State.values)]  # type: ignore[valid-type]
Verdict: TypeAlias = Literal[tuple(Trial.Verdict.values)]  # type: ignore[valid-type]


class TrialOut(Schema):
    """Figures are null where nothing is known. `lost_*` counts acknowledged transactions."""

    id: int
    experiment_id: int
    server_id: int
    position: int
    variant: str
    kind: str
    repeat: int
    seed: int
    repeats_id: int | None
    state: State
    verdict: Literal[""] | Verdict
    verdict_label: str
    error: str
    mend: str
    started_at: datetime | None
    ended_at: datetime | None
    sent: int | None
    acknowledged: int | None
    in_doubt: int | None
    lost_engine: int | None
    lost_engine_ms: float | None
    lost_binlog: int | None
    lost_binlog_ms: float | None
    lost_replica: int | None
    recovery_s: float | None


class TrialWhole(TrialOut):
    """With what its verdict rests on; null before it was tried."""

    evidence: dict[str, object] | None

    @staticmethod
    def resolve_evidence(trial: Trial) -> dict[str, object] | None:
        found = getattr(trial, "evidence", None)
        return found.data if found else None


class TrialAgain(TrialOut):
    """`notice` is not empty when no worker could be told: it then starts a little later."""

    notice: str = ""


class TrialFilter(Schema):
    verdict: Verdict | None = None
    kind: Kind | None = None


@router.get("/experiments/{int:experiment_id}/trials", auth=Token("see"), response=list[TrialOut])
@paginate(Pages)
def list_trials(request: HttpRequest, experiment_id: Id, wanted: Query[TrialFilter]) -> QuerySet[Trial]:
    """The trials of an experiment in their order."""
    experiment = get_object_or_404(Experiment, pk=experiment_id)
    given = {name: value for name, value in wanted.dict().items() if value}
    return experiment.trials.filter(**given).order_by("position")


@router.get("/trials/{int:trial_id}", auth=Token("see"), response=TrialWhole)
def show_trial(request: HttpRequest, trial_id: Id) -> Trial:
    """One trial with its evidence."""
    return get_object_or_404(queries.trial(trial_id))


@router.post("/trials/{int:trial_id}/repeat", auth=Token("crash"), response={202: TrialAgain})
def repeat_trial(request: HttpRequest, trial_id: Id) -> Status[object]:
    """Queue the same crash once more: same settings, kind and seed. It does not count in the statistics."""
    first = get_object_or_404(queries.trial(trial_id))
    try:
        return Status(202, actions.repeat_trial(first, request.user))
    except task_queue.QueueDown as silent:  # stored all the same
        shown = TrialAgain.from_orm(Trial.objects.filter(repeats=first).latest("position"))
        shown.notice = str(silent)
        return Status(202, shown)
