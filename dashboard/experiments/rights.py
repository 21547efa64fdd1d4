"""Who may crash the servers of a plan, or those that an experiment has still to crash."""

from collections.abc import Iterable
from typing import Any

from dashboard.accounts.roles import allowed, refusal
from dashboard.experiments.models import Experiment, Trial
from dashboard.servers.models import Server
from workers.bench.plan import Plan


def why_not_crash(plan: Plan, user: Any) -> list[str]:
    """One sentence for each server that this person may not crash; empty when the plan crashes none."""
    if not plan.crash.trials:
        return []
    return _refusals(Server.objects.filter(pk__in={target.server_id for target in plan.targets}), user)


def why_not_crash_the_rest(experiment: Experiment, user: Any) -> list[str]:
    """The same for the trials that wait; their rows, not the plan, say what is crashed."""
    return _refusals(still_to_crash(experiment), user)


def still_to_crash(experiment: Experiment) -> Iterable[Server]:
    waiting = experiment.trials.filter(state=Trial.State.WAITING)
    return Server.objects.filter(pk__in=waiting.order_by().values("server"))


def _refusals(servers: Iterable[Server], user: Any) -> list[str]:
    return [refusal(user, "crash", server) for server in servers if not allowed(user, "crash", server)]
