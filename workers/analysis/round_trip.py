"""The cost of a round trip: a commit that another server must have waits for one round trip, in Galera for 1.5, in
Group Replication for 2 (workers.topology.kinds.kind).

Clients that always commit wait for one thing after the other (Little's law): without a round trip a commit takes
clients / rate on average. So the model has no parameter that is fitted.

With AFTER_SYNC, MariaDB waits for the answer by group of commits. The group's leader keeps LOCK_log until the group
before was answered, and LOCK_after_binlog_sync until its own group is (MYSQL_BIN_LOG::trx_group_commit_leader in
sql/log.cc). So two groups are on their way, and the commits that come meanwhile gather for a third one, which is not
sent. A commit goes through three turns, and a round trip is two of them: it waits for 1.5 round trips. The flush of a
group is a part of its turn, which takes (flush + round trip) / 2, or the flush alone if that is longer; without a round
trip a commit goes through two turns of one flush. The difference is the round trip, and half of what it takes longer
than a flush.

One or two clients leave nobody to gather. MySQL waits by group, too (MYSQL_BIN_LOG::ordered_commit in sql/binlog.cc),
but sends the commits that come meanwhile: they wait for the answer under way and then for their own, 1 to 1.5 round
trips on average. With AFTER_COMMIT, MariaDB's clients wait each for themselves: one round trip.

A node of Galera has at most two messages on their way (evs.user_send_window=2), and puts what its clients commit
meanwhile together in one. So it sends twice in a round trip, and a commit waits a quarter of it for its turn: 1.75.

In MySQL Group Replication each member has message numbers of its own. A message is delivered after those before it. So
the others must say that they skip theirs, which takes a second round trip. With group_replication_paxos_single_leader
only the primary has numbers: one round trip.
"""

FEW = 2  # clients that never wait for each other's answers


def trips_of(clients: int, least: float, most: float) -> float:
    """The round trips that a commit waits for: `least` of a client for itself, `most` where clients wait by group."""
    return most if clients > FEW else least


def waited_ms(rtt_ms: float, trips: float, group_flush_ms: float) -> float:
    """What a commit waits for other servers on average: one round trip, and the rest of the `trips` as far as it
    exceeds the flush of a group."""
    return rtt_ms + (trips - 1) * max(0.0, rtt_ms - group_flush_ms)


def predicted_per_s(per_s_without: float, clients: int, waited_ms: float) -> float:
    """Commits per second when each waits so long for other servers; `per_s_without`: measured without it, above 0."""
    return clients / (clients / per_s_without + waited_ms / 1000)
