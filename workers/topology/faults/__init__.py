"""The registry of faults."""

from collections.abc import Iterator, Mapping

from workers.topology.faults import named
from workers.topology.faults.fault import Fault, FaultScene
from workers.topology.faults.of_nodes import HOW as HOW_NODES
from workers.topology.faults.of_nodes import NAMES, STRIKES, OfNodes

__all__ = ["FAULTS", "HOW_NODES", "Fault", "FaultScene", "refusal"]

_NAMED: dict[str, Fault] = {
    fault.key: fault
    for fault in (
        named.HostLoss(),
        OfNodes(
            "kill", [0], "primary-kill", "Primary kill",
            "The primary's process is killed. Its host lives and still sends what was written.",
        ),
        OfNodes(
            "power-loss", [0], "primary-power-loss", "Power loss of the primary",
            "The primary's host loses its power, and its disk everything that was not flushed.",
        ),
        OfNodes(
            "pause", [0], "primary-pause", "Primary pause",
            "The primary is frozen and goes on after some seconds, as after the migration of a virtual machine.",
        ),
        named.AllKilled(), named.AllLosePower(), named.MajorityLost(),
        OfNodes(
            "partition", [0], "partition", "Network partition",
            "Primary and replicas no longer hear each other. The primary's clients still reach it.",
        ),
        OfNodes(
            "kill", [1], "replica-kill", "Replica kill",
            "The process of the first replica is killed while it applies. It starts again and catches up.",
        ),
        OfNodes(
            "power-loss", [1], "replica-power-loss", "Replica power loss",
            "The host of the first replica loses its power while it applies. It starts again and catches up.",
        ),
        OfNodes(
            "pause", [1], "replica-pause", "Replica pause",
            "The first replica is frozen and goes on after some seconds. The clients of the primary wait, or go on.",
        ),
        named.AsynchronousLink(), named.Switchover(), named.NoFault(),
    )
}  # fmt: skip


# Sets of nodes that have a name of their own.
OWN_NAMES = {"host-loss:primary": "primary-host-loss"} | {
    one.notation: key for key, one in _NAMED.items() if isinstance(one, OfNodes)
}


def refusal(key: str) -> str:
    """Why this is no fault of a set of nodes, and what to write instead; "" when it is one."""
    what, _, listed = key.partition(":")
    names = listed.split("+")
    if what not in STRIKES or not listed:
        return HOW_NODES
    if unknown := [name for name in names if name not in NAMES]:
        return f"{unknown[0][:40]!r} is no node. Known: {', '.join(NAMES)}."
    if len(set(names)) < len(names):
        return "A node is named twice."
    right = f"{what}:{'+'.join(sorted(names))}"  # the alphabet's order is that of the nodes
    right = OWN_NAMES.get(right, right)
    return "" if key == right else f"Write {right}: each fault has one name."


class _Faults(Mapping[str, Fault]):
    """Lists those with a name of their own, and also finds each set of nodes, such as `kill:primary+replica2`."""

    def __getitem__(self, key: str) -> Fault:
        if key in _NAMED:
            return _NAMED[key]
        if refusal(key):
            raise KeyError(key)
        what, _, listed = key.partition(":")
        return OfNodes(what, [NAMES.index(name) for name in listed.split("+")])

    def __iter__(self) -> Iterator[str]:
        return iter(_NAMED)

    def __len__(self) -> int:
        return len(_NAMED)


FAULTS: Mapping[str, Fault] = _Faults()
