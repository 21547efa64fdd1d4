"""The registry of kinds of replication: one file for each."""

from workers.errors import PlanError
from workers.sandbox.builds import Build
from workers.topology.kinds.following.asynchronous import Asynchronous
from workers.topology.kinds.following.semi_sync import SemiSync
from workers.topology.kinds.galera.galera import Galera
from workers.topology.kinds.group_replication import GroupReplication
from workers.topology.kinds.kind import TopologyKind, contradictions, impossible, not_here
from workers.topology.topology import parse

__all__ = ["TOPOLOGY_KINDS", "TopologyKind", "impossible", "require_topology"]

TOPOLOGY_KINDS: dict[str, TopologyKind] = {
    kind.key: kind for kind in (Asynchronous(), SemiSync(), Galera(), GroupReplication())
}


def require_topology(name: str, notation: str, build: Build) -> None:
    """Raises PlanError, before anything is started, when this host cannot form it now."""
    topology = parse(notation)
    kind = TOPOLOGY_KINDS[topology.kind]
    if wrong := contradictions(kind, topology, build) + not_here(kind, topology, build):
        raise PlanError(
            f"{name} cannot be formed on this host. {' '.join(wrong)}",
            "Nothing was started. Take another build, another host, or a topology with fewer needs.",
        )
