"""Experiments: search, start, progress, cancel, resume, results, names and tags."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal, TypeAlias

from django.db import transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from ninja import Field, Query, Schema, Status
from ninja.pagination import RouterPaginated
from pydantic import field_validator

from dashboard.findings import document
from dashboard.pages.api.door import Token
from dashboard.pages.api.fields import Given, Id, Key, Noticed, Username, notice_of, with_columns, with_values
from dashboard.pages.api.plans import StartIn, asked
from dashboard.pages.api.problems import Conflict
from dashboard.records.accounts.roles import require
from dashboard.records.api.start_keys import start_once
from dashboard.records.experiments import actions, care, queries, search, tags
from dashboard.records.experiments.models import Experiment
from dashboard.text.names import Name
from workers.errors import PlanError

router = RouterPaginated()
State: TypeAlias = Literal[tuple(Experiment.State.values)]  # type: ignore[valid-type]  # an enum would meet the trials' by its name


@with_columns(
    Experiment, "name recipe recipe_size state error fix estimate_s created_at started_at ended_at deleted_at finding"
)
class ExperimentOut(Schema):
    """`total`, `done` and `failed` count cells and trials; `finding` is the sentence on top of the result."""

    id: int
    total: int
    done: int
    failed: int
    crashes: int
    created_by: Username
    imported_at: datetime | None = Field(description="Imported from a file; another installation measured it.")
    imported_from: dict[str, object]
    tags: list[str]
    is_baseline: bool = Field(description="Later experiments of the same recipe or plan are compared with it.")

    @staticmethod
    def resolve_tags(experiment: Experiment) -> list[str]:
        return [tag.name for tag in experiment.tags.all()]


class Started(ExperimentOut, Noticed):
    """An experiment that waits for a worker."""


class Second(Schema):
    t_s: float | None
    tps: float | None
    p95_ms: float | None


@with_values(queries.LiveState, "activity done failed total left_s left_is_least warming stopping message over")
class ProgressOut(Schema):
    """The present state. `left_s`: estimated seconds until the end, `left_is_least`:
    no crash trial has shown yet how fast this host is; `seconds`: those of the measured cell; `stopping`:
    the worker's steps between a cancel and its end, "" otherwise."""

    state: State
    cell: dict[str, object] | None
    seconds: list[Second]


class Result(Schema):
    """The export of the page, with all its evidence. Runs and trials name environments and probes by id."""

    format: str
    experiment: dict[str, object]
    plan: dict[str, object]
    analysis: dict[str, object]
    claims: dict[str, object] | None
    environments: dict[str, object]
    probes: dict[str, object]
    runs: list[dict[str, object]]
    trials: list[dict[str, object]]
    unmeasured: list[dict[str, object]]


class ExperimentFilter(Schema):
    state: State | None = None
    recipe: str = Field("", max_length=80, pattern="^[a-z0-9-]*$")
    words: str = Field(
        "", max_length=search.LONGEST, description="In names, findings, recipes, servers, builds, plans and tags: all."
    )
    server: Id | None = None
    tag: str = Field("", max_length=tags.LONGEST)
    mine: bool = Field(False, description="Only experiments that the token's owner started.")
    deleted: bool = Field(False, description="Only deleted experiments: needs the scope tidy.")


class Changes(Given):
    """A field that is left out stays."""

    name: Name | None = Field(None, max_length=120, pattern=r"\S")
    tags: list[str] | None = Field(
        None, max_length=100, examples=[["nightly"]], description="Exactly these from now on."
    )
    is_baseline: bool | None = None

    @field_validator("name")
    @classmethod
    def _name(cls, name: str | None) -> str | None:
        return name and name.strip()

    @field_validator("tags")
    @classmethod
    def _tags(cls, given: list[str] | None) -> list[str] | None:
        return given if given is None else tags.normalised(given)


@router.get("/experiments", auth=Token("see"), response=list[ExperimentOut])
def list_experiments(request: HttpRequest, wanted: Query[ExperimentFilter]) -> Sequence[Experiment]:
    """All experiments that fit every given filter, the newest first."""
    if wanted.deleted:
        require(request.user, "tidy")
    return search.found(wanted.dict(), request.user)


@router.post("/experiments", auth=Token("run"), response={200: Started, 201: Started})
def start_experiment(
    request: HttpRequest, response: HttpResponse, start: StartIn, idempotency_key: Key = ""
) -> Status[object]:
    """Start an experiment: 201. Asked again with the same key and request: 200, with the one that was started then.

    A plan with crashes also needs the scope crash.
    """

    def create() -> Experiment:
        planned = asked(start)
        confirmed = start.production_confirmed
        return actions.create(
            planned.plan, request.user, recipe=planned.recipe, size=planned.size, production_confirmed=confirmed
        )

    experiment, new = start_once(request.user, idempotency_key, start.dict(), create)
    response["Location"] = reverse("api:show_experiment", args=[experiment.pk])
    notice = notice_of(lambda: actions.notify_workers(experiment.pk)) if new else ""
    return Status(201 if new else 200, _started(experiment.pk, notice))


@router.get("/experiments/{int:experiment_id}", auth=Token("see"), response=ExperimentOut)
def show_experiment(request: HttpRequest, experiment_id: Id) -> Experiment:
    """One experiment."""
    return _known(experiment_id)


@router.patch("/experiments/{int:experiment_id}", auth=Token("tidy"), response=ExperimentOut)
@transaction.atomic
def change_experiment(request: HttpRequest, experiment_id: Id, changes: Changes) -> Experiment:
    """Rename it, set its tags, or mark it as the baseline: all changes of the request, or none."""
    user, experiment = request.user, _locked(experiment_id)
    if changes.name is not None:
        care.rename(user, experiment, changes.name)
    if changes.tags is not None:
        care.tag(user, experiment, changes.tags)
    if changes.is_baseline is not None:
        (care.mark_baseline if changes.is_baseline else care.unmark_baseline)(user, experiment)
    return _known(experiment_id)


@router.delete("/experiments/{int:experiment_id}", auth=Token("tidy"), response={204: None})
@transaction.atomic
def delete_experiment(request: HttpRequest, experiment_id: Id) -> None:
    """A deleted experiment is shown nowhere and can be restored for 30 days. One that waits or runs is refused."""
    care.delete(request.user, _locked(experiment_id))


@router.post("/experiments/{int:experiment_id}/restore", auth=Token("tidy"), response=ExperimentOut)
def restore_experiment(request: HttpRequest, experiment_id: Id) -> Experiment:
    """Restore a deleted experiment with its links, tags and comments."""
    care.restore(request.user, get_object_or_404(Experiment.everything, pk=experiment_id))
    return _known(experiment_id)


@router.get("/experiments/{int:experiment_id}/progress", auth=Token("see"), response=ProgressOut)
def watch_experiment(request: HttpRequest, experiment_id: Id) -> queries.LiveState:
    """The present state. Ask again until `over` is true."""
    return queries.live_state(_known(experiment_id))


@router.post("/experiments/{int:experiment_id}/cancel", auth=Token("run"), response=ExperimentOut)
def cancel_experiment(request: HttpRequest, experiment_id: Id) -> Experiment:
    """Stop an experiment. A queued one is cancelled at once, a running one within two seconds."""
    actions.cancel(_known(experiment_id), request.user)
    return _known(experiment_id)


@router.post("/experiments/{int:experiment_id}/resume", auth=Token("run"), response=Started)
def resume_experiment(request: HttpRequest, experiment_id: Id) -> Started:
    """Queue the cells and trials without a result."""
    try:
        notice = notice_of(lambda: actions.resume(_known(experiment_id), request.user))
    except PlanError as running:
        raise Conflict(str(running)) from running
    return _started(experiment_id, notice)


@router.get("/experiments/{int:experiment_id}/result", auth=Token("see"), response=Result)
def show_result(request: HttpRequest, experiment_id: Id) -> HttpResponse:
    """All measurements, also of an experiment that still runs."""
    return JsonResponse(document.everything(get_object_or_404(Experiment, pk=experiment_id)))


def _known(experiment_id: int) -> Experiment:
    return queries.with_progress([get_object_or_404(queries.listed(), pk=experiment_id)])[0]


def _locked(experiment_id: int) -> Experiment:
    """Locked until the transaction ends, so nobody else changes it meanwhile."""
    experiment = _known(experiment_id)
    care.lock(experiment)
    return _known(experiment_id)


def _started(experiment_id: int, notice: str) -> Started:
    return Started.from_orm(_known(experiment_id)).model_copy(update={"notice": notice})
