"""Failover policies: which replica is promoted, how, and what becomes of the old primary. Wrong ones that people run
are among them. Several can be combined, such as stop-first and unfenced, if they differ in different fields."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

Promote = Literal["most received", "most executed", "first", "named", "nobody"]
RelayLog = Literal["apply, then stop receiving", "stop receiving, then apply"]
Return = Literal["as it was", "as a replica", "rebuilt", "stays away"]


@dataclass(frozen=True)
class FailoverPolicy:
    """`promote`: the replica that received or executed most, the first one that the fault spared, or number `named`;
    of a cluster that is down, the node that is bootstrapped; "nobody": the primary starts again and stays the primary.
    `fence`: the old primary is shut off from its clients before the promotion. `old_primary`: how it comes back; "as a
    replica" starts it with init_rpl_role=SLAVE, by which MariaDB (10.6.19, 10.11.9 and later) rolls back commits that
    no replica acknowledged; "rebuilt": it gets a copy of the data of the new primary.
    `by_manager`: the owner's command does all of it (workers.topology.manager)."""

    title: str
    says: str
    promote: Promote = "most received"
    relay_log: RelayLog = "apply, then stop receiving"
    fence: bool = True
    old_primary: Return = "as it was"
    by_manager: bool = False
    named: int = 0  # of the replica; in a cluster 1 is the second node


MOST_REPLICAS = 4
CAREFUL = "careful"
POLICIES: dict[str, FailoverPolicy] = {
    "careful": FailoverPolicy(
        "Careful", "The replica that received most applies its relay log, then stops receiving, and is promoted."
    ),
    "stop-first": FailoverPolicy(
        "Stop receiving first",
        "The replica stops receiving before it begins to apply its relay log.",
        relay_log="stop receiving, then apply",
    ),
    "first-replica": FailoverPolicy(
        "Always the first one",
        "The first replica is promoted, or the first node of a cluster bootstrapped, whatever the others hold.",
        promote="first",
    ),
    "most-executed": FailoverPolicy(
        "Most executed",
        "The replica that has executed most is promoted, whatever the others received.",
        promote="most executed",
    ),
    **{
        f"replica{number}": FailoverPolicy(
            f"Replica {number}",
            f"Replica {number} is promoted, or node {number + 1} of a cluster bootstrapped, whatever the others hold.",
            promote="named",
            named=number,
        )
        for number in range(1, MOST_REPLICAS + 1)
    },
    "unfenced": FailoverPolicy(
        "Without fencing", "Clients of the old primary go on with it after the promotion.", fence=False
    ),
    "old-as-replica": FailoverPolicy(
        "Old primary as replica",
        "The old primary is started with init_rpl_role=SLAVE.",
        old_primary="as a replica",
    ),
    "old-rebuilt": FailoverPolicy(
        "Old primary rebuilt",
        "The data of the old primary are replaced by a copy of those of the new primary.",
        old_primary="rebuilt",
    ),
    "manager": FailoverPolicy(
        "Owner's failover manager",
        "A command that is given on the worker's host notices the loss, chooses a replica and promotes it.",
        fence=False,
        by_manager=True,
    ),
    "in-place": FailoverPolicy(
        "Started again in place",
        "Nobody takes over: the primary starts again, as a service manager starts it, and its replicas follow it.",
        promote="nobody",
    ),
    "old-away": FailoverPolicy(
        "Old primary stays away", "The disk of the old primary does not come back.", old_primary="stays away"
    ),
}


def combined(keys: Sequence[str]) -> FailoverPolicy:
    """All changes of the careful policy that one of these makes. ValueError: they contradict each other."""
    first, *others = (POLICIES[key] for key in keys)
    policy, changes = first, _changes(first)
    for other in others:
        mine = _changes(other)
        if any(changes.get(name, value) != value for name, value in mine.items()):
            raise ValueError(f"{policy.title} and {other.title} contradict each other")
        changes |= mine
        titled = replace(policy, title=f"{policy.title}, {other.title}", says=f"{policy.says} {other.says}")
        policy = replace(titled, **changes)
    if policy.by_manager and changes.keys() & {"relay_log", "promote"}:
        raise ValueError("a manager chooses the replica, and what it does with its relay log")
    if policy.promote == "nobody" and "relay_log" in changes:
        raise ValueError("no replica is promoted, so its relay log has no part in it")
    return policy


def _changes(policy: FailoverPolicy) -> dict[str, Any]:
    dimensions = [one for one in fields(policy) if one.name not in ("title", "says")]
    values = {one.name: (getattr(policy, one.name), one.default) for one in dimensions}
    return {name: value for name, (value, default) in values.items() if value != default}
