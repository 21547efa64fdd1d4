"""Asynchronous replication: the primary answers its client without waiting for a replica."""

from workers.topology.kinds.following.following import Following


class Asynchronous(Following):
    key = "async"
    title = "Asynchronous"
    says = "The primary answers its clients without waiting for a replica."
    round_trips = (0.0, 0.0)
