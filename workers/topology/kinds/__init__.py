"""The registry of kinds of replication: one file for each."""

from workers.topology.kinds.following.asynchronous import Asynchronous
from workers.topology.kinds.following.semi_sync import SemiSync
from workers.topology.kinds.galera.galera import Galera
from workers.topology.kinds.group_replication import GroupReplication
from workers.topology.kinds.kind import TopologyKind, impossible

__all__ = ["TOPOLOGY_KINDS", "TopologyKind", "impossible"]

TOPOLOGY_KINDS: dict[str, TopologyKind] = {
    kind.key: kind for kind in (Asynchronous(), SemiSync(), Galera(), GroupReplication())
}
