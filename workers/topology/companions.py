"""The other servers of a topology under load: what replication costs while clients commit."""

from workers.errors import PlanError
from workers.topology.ground import Ground
from workers.topology.kinds import TOPOLOGY_KINDS
from workers.topology.kinds.cluster.mates import ClusterMates
from workers.topology.kinds.cluster.membership import Membership
from workers.topology.kinds.following.followers import Followers
from workers.topology.kinds.following.replication import SourceAndReplica
from workers.topology.kinds.kind import contradictions, not_here

# `first`: how the server of the clients is started. `attach` makes the others around it, `sandboxes`; `restart` starts
# it and the others with these settings beside their own, and calls `while_down` while it is stopped; `catch_up` comes
# before each measurement; `close` removes the others.
# `data_of_no_use`: to other servers, because they hold the position of this cluster.
Companions = Followers | ClusterMates


def companions_of(ground: Ground) -> Companions:
    """Raises PlanError when this build or this host cannot have such a topology."""
    kind, topology = TOPOLOGY_KINDS[ground.topology.kind], ground.topology
    if wrong := contradictions(kind, topology, ground.build) + not_here(kind, topology, ground.build):
        raise PlanError(" ".join(wrong), "Change the topology, or take another build.")
    if isinstance(kind, Membership):
        return ClusterMates(kind, ground)
    assert isinstance(kind, SourceAndReplica)
    return Followers(kind, ground)
