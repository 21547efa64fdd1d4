from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone

from dashboard.pages.accounts.gate import account_of, needs
from dashboard.pages.buttons import button
from dashboard.pages.schedules.forms import NIGHTLY, RecipeForm, WhenForm
from dashboard.records.accounts.roles import allowed
from dashboard.records.experiments import shelf
from dashboard.records.experiments.models import Experiment
from dashboard.records.refused import Refused
from dashboard.records.schedules import actions, cron, queries, window
from dashboard.records.schedules.models import Schedule
from dashboard.records.servers import pins
from dashboard.records.servers.models import Server
from dashboard.text.asked import asked_number
from workers.bench.plan import Plan
from workers.bench.recipes import QUICK
from workers.bench.review import estimate_s
from workers.errors import PlanError

SCHEDULES_A_PAGE, NIGHTS_A_PAGE = 50, 60
PAGE = "schedules:show"
TIMES = ("cron", "zone", "ends_by")


@needs("see", "GET")
def index(request: HttpRequest) -> HttpResponse:
    page = Paginator(Schedule.objects.all(), SCHEDULES_A_PAGE).get_page(request.GET.get("page"))
    return render(request, "schedules/list.html", {"page": page, "lines": queries.lines(page, timezone.now())})


@needs("schedule", "GET", "POST")
def new(request: HttpRequest) -> HttpResponse:
    form = RecipeForm(request.POST or None, initial=_of_recipe(request))

    def save() -> Schedule:
        recipe, size = form.cleaned_data["recipe"], form.cleaned_data["size"]
        return actions.make(account_of(request), form.when(), form.plan(), recipe=recipe, size=size)

    return _form_page(request, form, save)


def _of_recipe(request: HttpRequest) -> dict[str, object]:
    recipe = shelf.find(request.GET.get("recipe", ""))
    named = {"recipe": recipe.key, "name": recipe.title[:80]} if recipe else {}
    return {**named, "size": request.GET.get("size", QUICK)}


@needs("schedule", "GET", "POST")
def of_experiment(request: HttpRequest, pk: int) -> HttpResponse:
    source = get_object_or_404(Experiment, pk=pk)
    if source.is_imported:
        messages.error(
            request,
            f"{source} was imported: its servers are not registered here. Choose its recipe and a server of your own.",
        )
        return redirect("schedules:new")
    form = WhenForm(request.POST or None, initial={"name": source.name[:80]})
    plan = _plan(source.plan)
    if plan is None:
        messages.error(
            request, f"Another version stored the plan of {source}, and it cannot be read. Create a new plan."
        )
        return redirect("experiments:show", pk)

    def save() -> Schedule:
        return actions.make(account_of(request), form.when(), plan, recipe=source.recipe, size=source.recipe_size)

    return _form_page(request, form, save, plan, source=source)


@needs("schedule", "GET", "POST")
def edit(request: HttpRequest, pk: int) -> HttpResponse:
    schedule = get_object_or_404(Schedule, pk=pk)
    now = {name: getattr(schedule, name) for name in ("name", *TIMES)}
    form = WhenForm(request.POST or None, initial=now, taken_by=schedule)

    def save() -> Schedule:
        actions.change(request.user, schedule, form.when())
        return schedule

    return _form_page(request, form, save, _plan(schedule.plan), schedule=schedule)


def _form_page(
    request: HttpRequest, form: WhenForm, save: Callable[[], Schedule], plan: Plan | None = None, **more: object
) -> HttpResponse:
    """The form, or after a valid POST the page of the stored schedule."""
    if form.is_valid():
        try:
            return redirect(PAGE, save().pk)
        except (Refused, PlanError) as refused:
            for line in str(refused).splitlines():
                form.add_error(None, line)
        except Server.DoesNotExist:
            form.add_error(None, "A server of this plan is not registered here. Choose a recipe instead.")
    if isinstance(form, RecipeForm) and form.is_bound:
        plan = form.planned()
    trials = len(list(plan.trials())) if plan else 0
    context = {"form": form, "plan": plan, "trials": trials, **_times_of(form, plan), **more}
    return render(request, "schedules/form.html", context, status=422 if form.errors else 200)


def _times_of(form: WhenForm, plan: Plan | None) -> dict[str, object]:
    """For _coming.html: why the times of the form are not valid, or what they come to."""
    wrong = " ".join(str(error) for name in TIMES for error in form.errors.get(name, ()))
    shown = form.cleaned_data if form.is_bound else form.initial
    return {"wrong": wrong, "coming": _coming(shown, plan, timezone.now())}


def _coming(data: Mapping[str, Any], plan: Plan | None, now: datetime) -> dict[str, object]:
    """The times in words, the next five runs, and the length of one."""
    expression, zone = data.get("cron") or NIGHTLY, data.get("zone") or "UTC"
    needs_s = estimate_s(plan) if plan and plan.targets else None
    told: dict[str, object] = {"estimate_s": needs_s, "zone": zone, "says": "", "runs": [], "problem": ""}
    try:
        cron.check(expression, zone, now)
        told |= {"says": cron.in_words(expression), "runs": queries.next_runs(expression, zone, now)}
        first = next(cron.runs(expression, zone, now))
    except cron.NoSchedule as wrong:
        return {**told, "problem": str(wrong)}
    ends_at = window.must_end_at(first, data.get("ends_by"), zone)
    if needs_s and (too_long := window.why_too_long(first, needs_s, ends_at)):
        told["problem"] = too_long
    return told


@needs("schedule", "POST")
def preview(request: HttpRequest) -> HttpResponse:
    """For schedule.js: a preview while the form is filled in."""
    form = RecipeForm(request.POST) if "recipe" in request.POST else WhenForm(request.POST)
    form.is_valid()
    plan = form.planned() if isinstance(form, RecipeForm) else _plan_of(request.POST)
    return render(request, "schedules/_coming.html", _times_of(form, plan))


def _plan_of(data: QueryDict) -> Plan | None:
    """The plan of the experiment or schedule that the form names."""
    plans = {
        "of_experiment": Experiment.objects.values_list("plan", flat=True),
        "of_schedule": Schedule.objects.values_list("plan", flat=True),
    }
    for name, stored in plans.items():
        if (pk := asked_number(data.get(name))) and (plan := stored.filter(pk=pk).first()):
            return _plan(plan)
    return None


def _plan(stored: Mapping[str, Any]) -> Plan | None:
    """None if another version stored it."""
    try:
        return Plan.from_dict(stored)
    except PlanError:
        return None


@needs("see", "GET")
def show(request: HttpRequest, pk: int) -> HttpResponse:
    schedule = get_object_or_404(Schedule.objects.select_related("runs_as", "confirmed_by"), pk=pk)
    now, plan = timezone.now(), _plan(schedule.plan)
    production = queries.production(schedule)
    coming = _coming({name: getattr(schedule, name) for name in TIMES}, plan, now)
    overdue = queries.overdue(schedule, now) if coming["runs"] else None
    context = {
        "schedule": schedule,
        "plan": plan,
        "recipe": shelf.find(schedule.recipe),
        "coming": coming,
        "overdue": queries.written(overdue, schedule.zone) if overdue else "",
        "production": production,
        "unconfirmed": queries.unconfirmed(schedule),
        "any_key": pins.unconfirmed().filter(pk__in=schedule.server_ids),
        "may_confirm": all(allowed(request.user, "confirm_schedules", server) for server in production),
        "page": Paginator(queries.nights_of(schedule.nights.all()), NIGHTS_A_PAGE).get_page(request.GET.get("page")),
    }
    return render(request, "schedules/show.html", context)


def _newest_night(schedule: Schedule) -> str:
    night = schedule.nights.exclude(experiment=None).latest("pk")
    return reverse("experiments:show", args=[night.experiment_id])


_button = partial(button, Schedule.objects.select_related("confirmed_by"), PAGE)
pause = _button(
    "schedule", actions.pause, "{} is paused: no run starts until you resume it. A running experiment continues."
)
resume = _button("schedule", actions.resume, "{} is resumed. Runs of the pause are not repeated.")
confirm = _button("confirm_schedules", actions.confirm, "{} may put load on its production servers from now on.")
withdraw = _button("schedule", actions.withdraw, "{} puts no load on production servers any more.")
delete = _button("schedule", actions.remove, "{} is deleted. The results of its runs stay.", then="schedules:list")
run = _button("schedule", actions.run_now, then=_newest_night)
