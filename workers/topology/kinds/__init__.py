"""The registry of kinds of replication: one file for each."""

from workers.topology.kinds.asynchronous import Asynchronous
from workers.topology.kinds.kind import SemiSyncCounters, TopologyKind
from workers.topology.kinds.semi_sync import SemiSync

__all__ = ["TOPOLOGY_KINDS", "SemiSyncCounters", "TopologyKind"]

TOPOLOGY_KINDS: dict[str, TopologyKind] = {kind.key: kind for kind in (Asynchronous(), SemiSync())}
