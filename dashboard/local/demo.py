"""The demo: a sandbox, the recipe *what does safety cost* measured on it, and the addresses of the result."""

import time
from collections.abc import Callable
from contextlib import suppress

from django.contrib.auth.models import User
from django.urls import reverse

from dashboard.local.progress import ProgressLines
from dashboard.local.stack import Stack
from dashboard.records.experiments import actions, queries
from dashboard.records.experiments.models import Experiment
from dashboard.records.experiments.queries import LiveState
from dashboard.records.fleet import task_queue
from dashboard.records.servers import actions as servers
from dashboard.records.servers.models import Server
from dashboard.records.sharing.actions import share
from workers.bench import recipes
from workers.bench.needs import Candidate
from workers.bench.plan import PlanTarget
from workers.bench.review import problems
from workers.errors import PlanError
from workers.sandbox.builds import BUILDS

RECIPE = "what-does-safety-cost"
SERVER = "Sandbox MariaDB"
BUILD = "system-mariadb"
LOOK_EVERY_S = 0.5
SHARED_DAYS = 30


def sandbox(user: User) -> Server:
    if known := Server.objects.filter(kind=Server.Kind.SANDBOX, build=BUILD).first():
        return known
    taken = set(Server.objects.values_list("name", flat=True))
    numbered = (SERVER, *(f"{SERVER} {n}" for n in range(2, len(taken) + 3)))
    name = next(one for one in numbered if one not in taken)
    return servers.register(user, Server(name=name, kind=Server.Kind.SANDBOX, build=BUILD), "")


def finished(server: Server) -> Experiment | None:
    done = Experiment.objects.filter(recipe=RECIPE, state=Experiment.State.DONE, cells__server=server)
    return done.order_by("-created_at").first()


def check(overrides: dict[str, str]) -> None:
    """Raises PlanError with every reason why the recipe cannot run with these values. Needs no running program."""
    plan = recipes.load(RECIPE).plan([PlanTarget(0, SERVER)], overrides)
    refusals = problems(plan, {0: Candidate(SERVER, is_sandbox=True, flavour=BUILDS[BUILD].flavour)})
    if refusals:
        raise PlanError("\n".join(refusals))


def start(server: Server, user: User, overrides: dict[str, str], say: Callable[[str], None]) -> Experiment:
    recipe = recipes.load(RECIPE)
    possible = {**_possible_crashes(server, overrides, say), **overrides}
    experiment = actions.create(actions.plan_recipe(recipe, [server], possible), user, recipe=recipe.key)
    with suppress(task_queue.QueueDown):  # housekeeping sends it later
        actions.notify_workers(experiment.pk)
    return experiment


def _possible_crashes(server: Server, overrides: dict[str, str], say: Callable[[str], None]) -> dict[str, str]:
    """On a host that cannot simulate a power loss: process kills only, and the reason."""
    why = queries.crash_missing([server]).get("power-loss")
    if not why or "kinds" in overrides:
        return {}
    say(f"No power loss on this host, only kills: {why}")
    return {"kinds": "process-kill"}


def follow(experiment: Experiment, stack: Stack, say: Callable[[str], None]) -> LiveState:
    """Show progress and keep the stack running until the experiment is over. Returns its last state."""
    progress = ProgressLines(say)
    while True:
        stack.check()
        experiment.refresh_from_db()
        now = queries.live_state(experiment)
        progress.tell(now)
        if now["over"]:
            return now
        time.sleep(LOOK_EVERY_S)


def share_link(experiment: Experiment, user: User, address: str) -> str:
    _, token = share(user, experiment, days=SHARED_DAYS, note="by scripts/demo")
    return address + reverse("sharing:show", args=[token])
