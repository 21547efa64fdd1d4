"""Home, the list, the form of a new experiment, and the live page."""

import secrets

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone

from dashboard.findings.lines import look_of
from dashboard.findings.tested import spelled_out
from dashboard.pages import documents
from dashboard.pages.accounts.gate import needs
from dashboard.pages.experiments import list_page
from dashboard.pages.experiments.form_groups import groups, product, summaries
from dashboard.pages.experiments.forms import PlanForm
from dashboard.pages.experiments.plan_review import reviewed
from dashboard.pages.front import page as front
from dashboard.pages.results.page import watched
from dashboard.pages.servers.offered import boxes
from dashboard.records.api import start_keys
from dashboard.records.api.start_keys import KeyTaken
from dashboard.records.experiments import actions, queries, shelf
from dashboard.records.experiments.crash_progress import crash_progress
from dashboard.records.experiments.live import LivePosition
from dashboard.records.experiments.models import Experiment
from dashboard.records.experiments.rights import why_not_run
from dashboard.records.fleet import task_queue
from dashboard.records.servers.models import Server
from dashboard.text.asked import asked_number
from workers.bench.own_review import of_plan
from workers.bench.plan import Plan
from workers.bench.recipes import QUICK
from workers.bench.workloads import OWN, WORKLOADS
from workers.errors import PlanError
from workers.servers.settings import SETTINGS
from workers.transaction import preview


@needs("see", "GET")
def home(request: HttpRequest) -> HttpResponse:
    return render(request, "experiments/home.html", front.context(timezone.now(), request.GET))


@needs("see", "GET")
def index(request: HttpRequest) -> HttpResponse:
    context = list_page.context(request)
    return render(request, "experiments/list.html", context, status=422 if context["form"].errors else 200)


@needs("run")
def new(request: HttpRequest, recipe: str = "") -> HttpResponse:
    """The plan's form, filled from a recipe or from an experiment (`?from=`); POST starts the experiment."""
    if recipe and shelf.find(recipe) is None:
        raise Http404
    source = _source(request)
    form = PlanForm(
        request.POST or None,
        recipe=recipe,
        size=request.GET.get("size", QUICK),
        server=request.GET.get("server", ""),
        source=source,
        more=request.GET.dict(),
    )
    refusals: list[str] = []
    if form.is_valid():
        try:
            return _start(request, form)
        except PlanError as refused:
            refusals = refused.message.splitlines()
        except KeyTaken:
            refusals = ["This form started an experiment that was deleted since. Restore it, or open a new form."]
    first, others = shelf.presets()
    context = {
        "form": form,
        "groups": groups(form),
        "servers": boxes(form["servers"]),
        "source": source,
        "start_key": request.POST.get("start_key") or secrets.token_urlsafe(16),
        "shelf": shelf.shelf(),
        "presets": first,
        "other_presets": others,
        "chosen": form.recipe,
        "sizes": shelf.sizes(form.recipe),
        "size": form.size,
        "refusals": refusals,
        "settings": SETTINGS.values(),
        "workloads": [one for one in WORKLOADS.values() if one.key != OWN],
        "own_example": documents.example("own-transaction.md"),
        "crash_missing": queries.crash_missing(),
        "has_servers": Server.objects.exists(),
        "has_production": Server.objects.filter(label=Server.Label.PRODUCTION).exists(),
        "has_sandbox": Server.objects.filter(kind=Server.Kind.SANDBOX).exists(),
        "has_attached": Server.objects.exclude(kind=Server.Kind.SANDBOX).exists(),
    }
    return render(request, "experiments/new.html", context, status=422 if refusals or form.errors else 200)


def _source(request: HttpRequest) -> Experiment | None:
    """The experiment to run again with changes."""
    asked = request.GET.get("from", "")
    found = Experiment.objects.filter(pk=pk).first() if (pk := asked_number(asked)) else None
    if asked and not found:
        messages.warning(request, "The experiment to run again was not found. The form shows a new plan.")
    return found


def _start(request: HttpRequest, form: PlanForm) -> HttpResponse:
    """A form that is sent twice starts one experiment. If it was changed in between, it starts another one."""
    sent = {name: values for name, values in request.POST.lists() if name not in ("csrfmiddlewaretoken", "start_key")}
    given = request.POST.get("start_key", "")
    experiment, is_new = start_keys.start_once(
        request.user, start_keys.hash_of([given, sent]) if given else "", sent, lambda: _create(request, form)
    )
    if is_new:
        try:
            actions.notify_workers(experiment.pk)
        except task_queue.QueueDown as silent:
            messages.warning(request, str(silent))
    return redirect("experiments:show", experiment.pk)


def _create(request: HttpRequest, form: PlanForm) -> Experiment:
    return actions.create(
        form.plan(),
        request.user,
        recipe=form.recipe.key if form.recipe else "",
        size=form.size,
        production_confirmed=form.cleaned_data["production_confirmed"],
    )


@needs("run", "POST")
def review(request: HttpRequest) -> JsonResponse:
    """The preview before the start: number of cells, time, refusals."""
    form = PlanForm(request.POST)
    if not form.is_valid():
        refusals = [f"{form[name].label}: {error}" for name, errors in form.errors.items() for error in errors]
        return JsonResponse({"refusals": refusals, "summaries": summaries(form)})
    plan = form.plan()
    found = reviewed(plan, request.user, production_confirmed=form.cleaned_data["production_confirmed"])
    answer = {
        "refusals": found.refusals,
        "summaries": summaries(form),
        "own": _own_shown(plan),
        "cells": found.cells,
        "product": product(plan),
        "trials": found.trials,
        "estimate_s": found.estimate_s,
        "written": [one.says for one in found.written.values()],
        "notes": found.unlogged + found.while_running + found.unwatched,
    }
    return JsonResponse(answer)


def _own_shown(plan: Plan) -> str | None:
    """A file that is wrong is one of the refusals."""
    try:
        own = of_plan(plan)
    except PlanError:
        return None
    return preview.shown(own) if own else None


@needs("see", "GET")
def show(request: HttpRequest, pk: int) -> HttpResponse:
    """The live page of an experiment that waits or runs, else a redirect to its result if it has one."""
    experiment = get_object_or_404(Experiment, pk=pk)
    if experiment.is_over and queries.has_results(experiment):
        return redirect("results:page", pk)
    plan = experiment.as_plan()
    context = {
        "experiment": experiment,
        "progress": queries.live_state(experiment),
        "crashes": crash_progress(experiment),
        "plan": plan,
        "settings": spelled_out(plan, str),
        "cells": queries.cells_to_show(experiment),
        "guarded": watched(experiment),
        "cell_total": experiment.cells.count(),
        "trial_total": experiment.trials.count(),
        "right_lost": "" if experiment.is_over else why_not_run(experiment),
    }
    return render(request, "experiments/live.html", context)


@needs("see", "GET")
def progress(request: HttpRequest, pk: int) -> JsonResponse:
    """The live page asks this each second. It sends the series that it has, and the number of its seconds."""
    have = LivePosition(request.GET.get("series", ""), asked_number(request.GET.get("have")) or 0)
    experiment = get_object_or_404(Experiment, pk=pk)
    crashes = crash_progress(experiment)
    now = {"crashes": crashes.cells, "crashing": crashes.is_phase}
    state = queries.live_state(experiment, have)
    return JsonResponse({**state, **now, "colour": _colour(experiment, state["cell"])})


def _colour(experiment: Experiment, cell: queries.RunningRow | None) -> int:
    """The colour of the running variant, the same as on the result page."""
    return look_of(experiment.as_plan(), cell["variant"], cell["server_id"]).colour if cell else 0
