"""Crash trials: losses and evidence."""

from typing import Annotated, Literal, TypeAlias

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from ninja import FilterSchema, Query, Schema, Status
from ninja.pagination import RouterPaginated
from pydantic import AfterValidator

from dashboard.pages.api.door import Token
from dashboard.pages.api.fields import Id, Noticed, notice_of, with_columns
from dashboard.pages.results import queries
from dashboard.pages.results.crash.views import archive
from dashboard.records.experiments import actions
from dashboard.records.experiments.models import Experiment, Trial
from workers.bench.trial_kinds import TRIAL_KINDS

router = RouterPaginated()
GZIP = {"application/gzip": {"schema": {"type": "string"}}}
ARCHIVE = {"200": {"description": "A gzip-compressed tar", "content": GZIP}}
Verdict: TypeAlias = Literal[tuple(Trial.Verdict.values)]  # type: ignore[valid-type]


@with_columns(
    Trial,
    "experiment_id server_id position variant kind repeat seed repeat_of_id state verdict error fix started_at "
    "ended_at sent acknowledged in_doubt lost_engine lost_engine_ms lost_binlog lost_binlog_ms lost_replica phantoms "
    "recovery_s",
)
class TrialOut(Schema):
    """Figures are null where nothing is known. `lost_*` counts acknowledged transactions; `phantoms` those
    that clients had read and that a failover then lost."""

    id: int
    verdict_label: str


class TrialWhole(TrialOut):
    """A trial with its evidence; null before its end."""

    evidence: dict[str, object] | None

    @staticmethod
    def resolve_evidence(trial: Trial) -> dict[str, object] | None:
        found = getattr(trial, "evidence", None)
        return found.data if found else None


class TrialAgain(TrialOut, Noticed):
    """A repeated trial."""


def _known(kind: str) -> str:
    if kind not in TRIAL_KINDS:
        raise ValueError(f"There is no such crash kind. Known: {', '.join(TRIAL_KINDS)}")
    return kind


class TrialFilter(FilterSchema):
    verdict: Verdict | None = None
    kind: Annotated[str, AfterValidator(_known)] | None = None


@router.get("/experiments/{int:experiment_id}/trials", auth=Token("see"), response=list[TrialOut])
def list_trials(request: HttpRequest, experiment_id: Id, wanted: Query[TrialFilter]) -> QuerySet[Trial]:
    """The trials of an experiment in their order."""
    experiment = get_object_or_404(Experiment, pk=experiment_id)
    return wanted.filter(experiment.trials.order_by("position"))


@router.get("/trials/{int:trial_id}", auth=Token("see"), response=TrialWhole)
def show_trial(request: HttpRequest, trial_id: Id) -> Trial:
    """One trial with its evidence."""
    return get_object_or_404(queries.trials(), pk=trial_id)


@router.get("/trials/{int:trial_id}/crash-points/{int:number}", auth=Token("see"), openapi_extra={"responses": ARCHIVE})
def download_crash_point(request: HttpRequest, trial_id: Id, number: Id) -> HttpResponse:
    """The archive of a kept crash point: the disk as the power loss left it, and a script that shows the defect."""
    return archive(request, trial_id, number)


@router.post("/trials/{int:trial_id}/repeat", auth=Token("crash"), response={202: TrialAgain})
def repeat_trial(request: HttpRequest, trial_id: Id) -> Status[object]:
    """Queue the same crash once more: same settings, kind and seed. It does not count in the statistics."""
    first = get_object_or_404(queries.trials(), pk=trial_id)
    notice = notice_of(lambda: actions.repeat_trial(first, request.user))
    again = TrialAgain.from_orm(Trial.objects.filter(repeat_of=first).latest("position"))
    return Status(202, again.model_copy(update={"notice": notice}))
