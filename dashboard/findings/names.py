"""How servers are called: as the plan says, or for guests by letters."""

from workers.bench.plan import Plan


def server_names(plan: Plan) -> dict[int, str]:
    """Server id -> name, in the plan's order. The server of an imported experiment is not registered here."""
    return {target.server_id: target.name for target in plan.targets}


def neutral_names(*plans: Plan) -> dict[int, str]:
    """Server id -> Server A, Server B ... in the plans' order (Server 27 after Z)."""
    ids = dict.fromkeys(target.server_id for plan in plans for target in plan.targets)
    return {pk: f"Server {chr(ord('A') + n) if n < 26 else n + 1}" for n, pk in enumerate(ids)}
