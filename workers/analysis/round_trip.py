"""The cost of a round trip: a commit that another server must have takes one round trip more, in Galera 1.5
(workers.topology.kinds.kind).

Clients that always commit wait for one thing after the other (Little's law): without a round trip a commit takes
clients / rate on average. So the model has no parameter that is fitted.
"""


def predicted_per_s(per_s_without: float, clients: int, rtt_ms: float) -> float:
    """Commits per second when each waits so long for other servers; `per_s_without`: measured without it, above 0."""
    return clients / (clients / per_s_without + rtt_ms / 1000)
