"""Who may crash the servers of a plan."""

from typing import Any

from dashboard.accounts.roles import allowed, refusal
from dashboard.servers.models import Server
from workers.bench.plan import Plan


def why_not_crash(plan: Plan, user: Any) -> list[str]:
    """One sentence for each server that this person may not crash; empty when the plan crashes none."""
    if not plan.crash.trials:
        return []
    servers = Server.objects.filter(pk__in={target.server_id for target in plan.targets})
    return [refusal(user, "crash", server) for server in servers if not allowed(user, "crash", server)]
