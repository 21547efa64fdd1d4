"""Schedules and their nights. What a time may be is decided by the form of the pages."""

from collections.abc import Callable, Sequence
from typing import Annotated, Literal, TypeAlias

from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from ninja import Field, FilterSchema, PatchDict, Query, Schema, Status
from ninja.pagination import RouterPaginated
from pydantic import BeforeValidator

from dashboard.pages.accounts.gate import account_of
from dashboard.pages.api.door import Token
from dashboard.pages.api.fields import Given, Id, Key, Noticed, Username, notice_of, with_columns, with_values
from dashboard.pages.api.paging import InParts
from dashboard.pages.api.plans import SourceIn, asked
from dashboard.pages.api.problems import valid
from dashboard.pages.schedules.forms import WhenForm
from dashboard.records.accounts.actor import Actor
from dashboard.records.api.start_keys import start_once
from dashboard.records.experiments import actions as experiments
from dashboard.records.experiments.models import Experiment
from dashboard.records.refused import Refused
from dashboard.records.schedules import actions, queries
from dashboard.records.schedules.models import Night, Schedule
from workers.errors import PlanError

router = RouterPaginated()
CLOCK = r"^([01]\d|2[0-3]):[0-5]\d$"
TIMES = ("name", "cron", "zone", "ends_by")
NightState: TypeAlias = Literal[tuple(Night.State.values)]  # type: ignore[valid-type]


@with_columns(Schedule, "name recipe recipe_size cron zone paused_at confirmed_at created_at")
@with_values(queries.DueTimes, "says next overdue problem")
class ScheduleOut(Schema):
    """`next`: the next five times; `overdue`: the first time without a night, because worker or beat is down;
    `problem`: why the times cannot be computed. `unconfirmed`: a production server without a confirmed nightly
    load. `under_way`: the experiment of a night that waits or runs."""

    id: int
    server_ids: list[int]
    ends_by: str | None
    runs_as: str
    unconfirmed: str
    under_way: int | None


class ScheduleWhole(ScheduleOut):
    """A schedule with its plan."""

    plan: dict[str, object]


def _told(schedules: Sequence[Schedule]) -> list[ScheduleWhole]:
    """The same number of queries for any number of schedules."""
    names = ("id", "name", "recipe", "recipe_size", "server_ids", "cron", "zone", "paused_at", "confirmed_at")
    now, under_way, unconfirmed = timezone.now(), queries.under_way_of(schedules), queries.unconfirmed_of(schedules)
    return [
        ScheduleWhole(
            **{name: getattr(schedule, name) for name in (*names, "created_at", "plan")},
            **vars(queries.times(schedule, now)),
            ends_by=f"{schedule.ends_by:%H:%M}" if schedule.ends_by else None,
            runs_as=schedule.runs_as.get_username(),
            unconfirmed=unconfirmed[schedule.pk],
            under_way=under_way.get(schedule.pk),
        )
        for schedule in schedules
    ]


def _one(schedule: Schedule) -> ScheduleWhole:
    return _told([schedule])[0]


One: TypeAlias = Annotated[ScheduleOut, BeforeValidator(_one)]
Whole: TypeAlias = Annotated[ScheduleWhole, BeforeValidator(_one)]


class Times(Given):
    """`cron`: minute, hour, day of month, month, day of week."""

    name: str = Field(examples=["nightly"])
    cron: str = Field(examples=["30 2 * * *"])
    zone: str = "UTC"
    ends_by: str | None = Field(
        None, pattern=CLOCK, description="The window: 06:00 as clocks in `zone` show it; null: no window."
    )


class ScheduleIn(Times, SourceIn):
    """What is measured, as at a start, and when."""


@with_columns(Night, "schedule_id due_at state reason experiment_id must_end_at closed_at")
class NightOut(Schema):
    """The outcome of one due time, and the state of its experiment. `asked_by`: the person who pressed *Run now*."""

    id: int
    experiment_state: str
    asked_by: Username

    @staticmethod
    def resolve_experiment_state(night: Night) -> str:
        return night.experiment.state if night.experiment else ""


class NightStarted(NightOut, Noticed):
    """A night that waits for a worker."""


class NightFilter(FilterSchema):
    state: NightState | None = None


@router.get("/schedules", auth=Token("see"), response=list[ScheduleOut])
def list_schedules(request: HttpRequest) -> InParts[Schedule, ScheduleWhole]:
    """All schedules by name."""
    return InParts(_all(), _told)


@router.post("/schedules", auth=Token("schedule"), response={201: Whole})
def make_schedule(request: HttpRequest, response: HttpResponse, wanted: ScheduleIn) -> Status[object]:
    """Measure something again and again, with your rights. Nothing is started now. A plan with crashes also needs the
    scope crash."""
    form = valid(WhenForm(wanted.dict(include=set(TIMES))))
    source = asked(wanted)
    try:
        made = actions.make(account_of(request), form.when(), source.plan, recipe=source.recipe, size=source.size)
    except Refused as refused:
        raise PlanError(str(refused)) from refused
    response["Location"] = reverse("api:show_schedule", args=[made.pk])
    return Status(201, made)


@router.get("/schedules/{int:schedule_id}", auth=Token("see"), response=Whole)
def show_schedule(request: HttpRequest, schedule_id: Id) -> Schedule:
    """One schedule, with its plan."""
    return _known(schedule_id)


@router.patch("/schedules/{int:schedule_id}", auth=Token("schedule"), response=Whole)
@transaction.atomic
def change_schedule(request: HttpRequest, schedule_id: Id, wanted: PatchDict[Times]) -> Schedule:
    """Another name or other times; what it measures stays, so that its nights can be compared. From then on it runs
    with your rights. Other times end the confirmation of production servers."""
    schedule = _locked(schedule_id)
    now = {name: getattr(schedule, name) for name in TIMES}
    form = valid(WhenForm({**now, **wanted}, taken_by=schedule))
    try:
        actions.change(request.user, schedule, form.when())
    except Refused as refused:
        raise PlanError(str(refused)) from refused
    return _known(schedule_id)


@router.delete("/schedules/{int:schedule_id}", auth=Token("schedule"), response={204: None})
@transaction.atomic
def delete_schedule(request: HttpRequest, schedule_id: Id) -> None:
    """The results of its nights stay."""
    actions.remove(request.user, _locked(schedule_id))


@router.post("/schedules/{int:schedule_id}/pause", auth=Token("schedule"), response=One)
def pause_schedule(request: HttpRequest, schedule_id: Id) -> Schedule:
    """No night starts until it is resumed, and none counts as missed. A running experiment continues."""
    return _after(actions.pause, request, schedule_id)


@router.post("/schedules/{int:schedule_id}/resume", auth=Token("schedule"), response=One)
def resume_schedule(request: HttpRequest, schedule_id: Id) -> Schedule:
    """Start nights again. Nights of the pause are not repeated."""
    return _after(actions.resume, request, schedule_id)


@router.post("/schedules/{int:schedule_id}/confirm", auth=Token("confirm_schedules"), response=One)
def confirm_schedule(request: HttpRequest, schedule_id: Id) -> Schedule:
    """Let its nights put load on its production servers, all of which must be yours."""
    return _after(actions.confirm, request, schedule_id)


@router.post("/schedules/{int:schedule_id}/withdraw", auth=Token("schedule"), response=One)
def withdraw_schedule(request: HttpRequest, schedule_id: Id) -> Schedule:
    """Withdraw the confirmation of production servers."""
    return _after(actions.withdraw, request, schedule_id)


@router.post(
    "/schedules/{int:schedule_id}/run", auth=Token("schedule"), response={200: NightStarted, 201: NightStarted}
)
def run_schedule(request: HttpRequest, schedule_id: Id, idempotency_key: Key = "") -> Status[object]:
    """Start a night out of turn, without a window: 201. Asked again with the same key: 200, with the same night. Also
    needs the scope run, and with crashes the scope crash."""
    schedule = _known(schedule_id)

    def create() -> Experiment:
        return actions.begin_now(request.user, schedule)

    experiment, new = start_once(request.user, idempotency_key, {"schedule": schedule_id}, create)
    notice = notice_of(lambda: experiments.notify_workers(experiment.pk)) if new else ""
    shown = NightStarted.from_orm(experiment.night).model_copy(update={"notice": notice})
    return Status(201 if new else 200, shown)


@router.get("/schedules/{int:schedule_id}/nights", auth=Token("see"), response=list[NightOut])
def list_nights(request: HttpRequest, schedule_id: Id, wanted: Query[NightFilter]) -> QuerySet[Night]:
    """The nights of a schedule, the newest first."""
    return queries.nights_of(wanted.filter(_known(schedule_id).nights.all()))


def _all() -> QuerySet[Schedule]:
    return Schedule.objects.select_related("runs_as", "confirmed_by__person")


def _known(schedule_id: int) -> Schedule:
    return get_object_or_404(_all(), pk=schedule_id)


def _locked(schedule_id: int) -> Schedule:
    """Locked until the transaction ends: nobody else changes it between."""
    get_object_or_404(Schedule.objects.select_for_update(), pk=schedule_id)
    return _known(schedule_id)


def _after(action: Callable[[Actor, Schedule], object], request: HttpRequest, schedule_id: int) -> Schedule:
    action(request.user, _known(schedule_id))
    return _known(schedule_id)
