"""Names of servers: as in the plan, or letters for guests."""

from workers.bench.plan import Plan


def server_names(plan: Plan) -> dict[int, str]:
    """Server id -> name, in the plan's order. Servers of imported experiments have no other name."""
    return {target.server_id: target.name for target in plan.targets}


def neutral_names(*plans: Plan) -> dict[int, str]:
    """Server id -> Server A, Server B ... in the plans' order (Server 27 after Z)."""
    ids = dict.fromkeys(target.server_id for plan in plans for target in plan.targets)
    return {pk: f"Server {chr(ord('A') + n) if n < 26 else n + 1}" for n, pk in enumerate(ids)}
