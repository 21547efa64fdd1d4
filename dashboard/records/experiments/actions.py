"""Start, cancel, resume and repeat: one function each."""

from collections.abc import Sequence
from dataclasses import asdict, replace

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from dashboard.records.accounts.actor import Actor, account
from dashboard.records.accounts.roles import require
from dashboard.records.audit.models import record
from dashboard.records.experiments import controls, queries, shelf, why_queued
from dashboard.records.experiments.claims import claims_of_recipe
from dashboard.records.experiments.models import Cell, Experiment, Trial
from dashboard.records.experiments.naming import experiment_name
from dashboard.records.experiments.present import with_present
from dashboard.records.experiments.rights import still_to_crash, why_not_crash, why_not_crash_the_rest
from dashboard.records.experiments.states import move
from dashboard.records.fleet import task_queue
from dashboard.records.servers.models import Server
from workers.bench.plan import Plan, PlanTarget
from workers.bench.recipes import QUICK, Recipe
from workers.bench.review import estimate_s, problems
from workers.errors import PlanError


def targets(servers: Sequence[Server]) -> list[PlanTarget]:
    return [PlanTarget(server.pk, server.name, server.is_sandbox) for server in servers]


def plan_recipe(
    recipe: Recipe, servers: Sequence[Server], overrides: dict[str, str] | None = None, size: str = QUICK
) -> Plan:
    plan = recipe.plan(targets(servers), overrides, size)
    if "control_trials" in (overrides or {}):
        return plan
    control_trials = controls.usual(plan.crash.trials, servers, recipe.control_trials(size))
    return replace(plan, crash=replace(plan.crash, control_trials=control_trials))


def create(
    plan: Plan, user: Actor, *, recipe: str = "", size: str = QUICK, production_confirmed: bool = False
) -> Experiment:
    """Store a queued experiment with its cells, its trials and the present claims of its recipe. Raises PlanError with
    every reason why the plan cannot run."""
    require(user, "run")
    refusals = problems(plan, queries.candidates(plan), production_confirmed=production_confirmed)
    refusals += why_not_crash(plan, user)
    if refusals:
        raise PlanError("\n".join(refusals))
    known = shelf.find(recipe)
    with transaction.atomic():
        experiment = Experiment.objects.create(
            name=experiment_name(plan, known),
            recipe=recipe,
            recipe_size=size if recipe else "",
            claims=asdict(claims_of_recipe(known, plan, size)) if known else {},
            plan=with_present(plan).as_dict(),
            seed=plan.seed,
            baseline=plan.baseline or plan.variants[0].name,
            estimate_s=estimate_s(plan),
            production_confirmed=production_confirmed,
            created_by=account(user),
        )
        Cell.objects.bulk_create(_rows(experiment, plan), batch_size=500)
        Trial.objects.bulk_create(_trials(experiment, plan), batch_size=500)
        record(user, "started", experiment, cells=plan.size, production_confirmed=production_confirmed)
        _answer_for_crashes(user, experiment)
    return experiment


def _answer_for_crashes(user: Actor, experiment: Experiment) -> None:
    """The person who queues an experiment orders its waiting crashes. The right to crash is checked now, and again by
    the worker before each crash. Raises PlanError."""
    if refusals := why_not_crash_the_rest(experiment, user):
        raise PlanError("\n".join(refusals))
    experiment.queued_by, experiment.by_command_line = account(user), user is None
    experiment.save(update_fields=["queued_by", "by_command_line"])
    if servers := [server.name for server in still_to_crash(experiment)]:
        trials = experiment.trials.filter(state=Trial.State.WAITING).count()
        record(user, "requested crashes", experiment, servers=servers, trials=trials)


def _rows(experiment: Experiment, plan: Plan) -> list[Cell]:
    return [
        Cell(
            experiment=experiment,
            server_id=cell.target.server_id,
            position=cell.position,
            block=cell.block,
            variant=cell.variant.name,
            workload=cell.workload.label,
            threads=cell.threads,
            repeat=cell.repeat,
        )
        for cell in plan.cells()
    ]


def _trials(experiment: Experiment, plan: Plan) -> list[Trial]:
    return [
        Trial(
            experiment=experiment,
            server_id=trial.target.server_id,
            position=trial.position,
            variant=trial.variant.name,
            kind=trial.kind,
            repeat=trial.repeat,
            seed=trial.seed,
        )
        for trial in plan.trials()
    ]


def notify_workers(experiment_id: int) -> None:
    """The first worker that claims the row runs it. Raises task_queue.QueueDown; the row then waits, and says why."""
    try:
        task_queue.send(task_queue.EXPERIMENT, experiment_id, Experiment(pk=experiment_id).site)
    except task_queue.QueueDown as down:
        queued = Experiment.objects.filter(pk=experiment_id, state=Experiment.State.QUEUED)
        queued.update(activity=why_queued.nobody_notified(down.why))
        raise


def cancel(experiment: Experiment, user: Actor) -> None:
    """Ask to stop. A queued experiment is cancelled at once. A worker stops a running one within two seconds. An
    experiment that is over does not change."""
    require(user, "run")
    row = Experiment.objects.filter(pk=experiment.pk)
    with transaction.atomic():
        queued = row.filter(state=Experiment.State.QUEUED)
        if move(queued, Experiment.State.CANCELLED, activity="", cancel_asked=True, ended_at=timezone.now()):
            cancel_waiting(experiment)
        elif not row.filter(state=Experiment.State.RUNNING, cancel_asked=False).update(cancel_asked=True):
            return
        record(user, "cancelled", experiment)


def cancel_waiting(experiment: Experiment) -> None:
    for rows in (experiment.cells, experiment.trials):
        move(rows.filter(state=Cell.State.WAITING), Cell.State.CANCELLED)


def resume(experiment: Experiment, user: Actor) -> None:
    """Queue the cells and trials without a result. Raises PlanError if the experiment is running, or if this person may
    not crash one of its servers. Raises task_queue.QueueDown."""
    require(user, "run")
    _measured_here(experiment)
    with transaction.atomic():
        queue_unfinished(experiment)
        record(user, "resumed", experiment)
        _answer_for_crashes(user, experiment)
    notify_workers(experiment.pk)


def queue_unfinished(experiment: Experiment) -> None:
    """Put cells and trials without a result back into the queue: interrupted, failed and cancelled ones."""
    with transaction.atomic():
        queue_again(experiment)  # first: all code locks the experiment before its cells
        for rows in (experiment.cells, experiment.trials):
            move(rows.all(), Cell.State.WAITING, error="", fix="")


def queue_again(experiment: Experiment) -> None:
    """Let an experiment that is over wait for a worker again. Raises PlanError if it is not over, or was deleted."""
    row = Experiment.objects.filter(pk=experiment.pk)
    if not move(row, Experiment.State.QUEUED, cancel_asked=False, error="", fix="", ended_at=None):
        if not row.exists():
            raise PlanError("The experiment was deleted.", "Restore it first.")
        raise PlanError("The experiment is running or queued.", "Wait for it to end, or cancel it.")


def _measured_here(experiment: Experiment) -> None:
    if experiment.is_imported:
        raise PlanError(
            f"{experiment} was imported, and its servers are not registered here. Nothing was started.",
            "Plan a new experiment on a server of this installation.",
        )


def repeat_trial(trial: Trial, user: Actor) -> Trial:
    """Queue the same crash again: same variant, kind and seed. Other waiting parts of the experiment run too. Raises
    PlanError as `resume` does, and task_queue.QueueDown."""
    require(user, "crash", trial.server)
    _measured_here(trial.experiment)
    with transaction.atomic():
        queue_again(trial.experiment)  # first: if two people repeat it at once, the second is refused
        last = trial.experiment.trials.aggregate(last=Max("position"))["last"]
        again = Trial.objects.create(
            experiment=trial.experiment,
            server=trial.server,
            position=last + 1,
            variant=trial.variant,
            kind=trial.kind,
            repeat=trial.repeat,
            seed=trial.seed,
            repeat_of=trial,
        )
        record(user, "repeated", trial.experiment, trial=trial.pk)
        _answer_for_crashes(user, trial.experiment)
    notify_workers(trial.experiment.pk)
    return again
