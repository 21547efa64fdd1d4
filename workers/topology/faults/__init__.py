"""The registry of faults."""

from collections.abc import Iterator, Mapping

from workers.topology.faults import named
from workers.topology.faults.fault import Fault, FaultScene
from workers.topology.faults.of_nodes import HOW as HOW_NODES
from workers.topology.faults.of_nodes import OfNodes, of_nodes, refusal

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


class _Faults(Mapping[str, Fault]):
    """Lists those with a name of their own, and also finds each set of nodes, such as `kill:primary+replica2`."""

    def __getitem__(self, key: str) -> Fault:
        if fault := _NAMED.get(key) or of_nodes(key):
            return fault
        raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        return iter(_NAMED)

    def __len__(self) -> int:
        return len(_NAMED)


FAULTS: Mapping[str, Fault] = _Faults()
