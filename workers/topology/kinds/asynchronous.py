"""Asynchronous replication: the primary answers its client without waiting for a replica."""

from workers.topology.kinds.kind import TopologyKind


class Asynchronous(TopologyKind):
    key = "async"
    title = "Asynchronous"
    says = "The primary answers its clients without waiting for a replica."
