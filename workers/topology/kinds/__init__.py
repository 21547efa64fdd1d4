"""The registry of kinds of replication: one file for each."""

from workers.errors import PlanError, SandboxError
from workers.sandbox.builds import Build
from workers.topology.kinds.following.asynchronous import Asynchronous
from workers.topology.kinds.following.semi_sync import SemiSync
from workers.topology.kinds.galera.galera import Galera
from workers.topology.kinds.group_replication import GroupReplication
from workers.topology.kinds.kind import TopologyKind, contradictions, impossible, not_here
from workers.topology.topology import Topology, parse

__all__ = ["TOPOLOGY_KINDS", "TopologyKind", "impossible", "require_topology", "understood"]

TOPOLOGY_KINDS: dict[str, TopologyKind] = {
    kind.key: kind for kind in (Asynchronous(), SemiSync(), Galera(), GroupReplication())
}


def understood(notation: str) -> Topology | None:
    """None: there is none, or it cannot be read: a newer version wrote it, or the review of its plan refuses it."""
    try:
        topology = parse(notation)
    except SandboxError:
        return None
    return topology if topology.kind in TOPOLOGY_KINDS else None


def require_topology(name: str, notation: str, build: Build) -> None:
    """Raises PlanError, before anything is started, when this host cannot form it now."""
    topology = parse(notation)
    kind = TOPOLOGY_KINDS[topology.kind]
    if wrong := contradictions(kind, topology, build) + not_here(kind, topology, build):
        raise PlanError(
            f"{name} cannot be formed on this host. {' '.join(wrong)}",
            "Nothing was started. Take another build, another host, or a topology with fewer needs.",
        )
