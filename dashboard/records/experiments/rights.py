"""With whose rights an experiment runs, and who may crash the servers of a plan."""

from collections.abc import Iterable
from contextlib import suppress

from django.contrib.auth.models import AnonymousUser, User

from dashboard.records.accounts.actor import Actor
from dashboard.records.accounts.roles import allowed, refusal
from dashboard.records.experiments.models import Experiment, Trial
from dashboard.records.servers.models import Server
from workers.bench.plan import Plan
from workers.errors import SandboxError
from workers.topology.topology import parse

LOST = "The account that queued this experiment may not run experiments any more: it was deactivated, deleted or  "
LOST += "given another role."


def queued_by(experiment: Experiment) -> Actor:
    """The account that started, resumed or repeated it last, read again from the database. None: the command line,
    which may do everything. A deleted account is an anonymous user, who may do nothing."""
    if experiment.by_command_line:
        return None
    return User.objects.select_related("person").filter(queued=experiment).first() or AnonymousUser()


def why_not_run(experiment: Experiment) -> str:
    """Asked while it waits and runs: "" as long as the account that queued it may run experiments. The sentence names
    no person, because guests read it."""
    return "" if allowed(queued_by(experiment), "run") else LOST


def why_not_crash(plan: Plan, user: Actor) -> list[str]:
    """A sentence for each server that this person may not crash, or whose failover manager they may not run; empty if
    the plan crashes none."""
    if not plan.crash.trials:
        return []
    servers = Server.objects.filter(pk__in={target.server_id for target in plan.targets})
    return _refusals(servers, user) + (_of_managers(servers, user) if _drills(plan) else [])


def _drills(plan: Plan) -> bool:
    """Whether trials run a failover manager. Notations that cannot be read are refused by the review."""
    with suppress(SandboxError):
        return any(parse(one.topology).policy.by_manager for one in plan.variants if one.topology)
    return False


def _of_managers(servers: Iterable[Server], user: Actor) -> list[str]:
    strange = [one for one in servers if one.failover_command and not allowed(user, "allow_crashes", one)]
    return [f"{one} has a failover manager that only its owner and administrators may run." for one in strange]


def why_not_crash_the_rest(experiment: Experiment, user: Actor) -> list[str]:
    """The same for waiting trials. Their rows count, not the plan."""
    return _refusals(still_to_crash(experiment), user)


def still_to_crash(experiment: Experiment) -> Iterable[Server]:
    waiting = experiment.trials.filter(state=Trial.State.WAITING)
    return Server.objects.filter(pk__in=waiting.order_by().values("server"))


def _refusals(servers: Iterable[Server], user: Actor) -> list[str]:
    return [refusal(user, "crash", server) for server in servers if not allowed(user, "crash", server)]
