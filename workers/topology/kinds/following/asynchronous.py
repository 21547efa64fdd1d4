"""Asynchronous replication: the primary answers its client without waiting for a replica."""

from workers.topology.kinds.following.following import Following
from workers.topology.kinds.kind import ServerVersion
from workers.topology.topology import Topology


class Asynchronous(Following):
    key = "async"
    title = "Asynchronous"
    says = "The primary answers its clients without waiting for a replica."
    round_trips = 0.0

    def problems(self, topology: Topology, build: ServerVersion) -> list[str]:
        halves = ["Asynchronous replication has no halves: leave both-halves out."] if topology.both_halves else []
        return super().problems(topology, build) + halves
