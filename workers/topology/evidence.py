"""The evidence after a failover as plain values."""

from dataclasses import dataclass

from workers.crash.evidence import Read, ReplicaSeen, Seen
from workers.crash.ledger import Ledger
from workers.crash.transactions import Keys
from workers.topology.setup_and_result import UpdatesSeen


@dataclass(frozen=True)
class GtidsSeen:
    """From the binlogs of the old and of the new primary. `swapped`: GTIDs that name another transaction in the new
    one. `errant`: GTIDs of the old primary that the new one lacks. `named`: the transactions of the old primary's
    clients that have a GTID in the binlog of the new primary."""

    swapped: tuple[str, ...]
    errant: tuple[str, ...]
    named: Keys


@dataclass(frozen=True, kw_only=True)
class FailoverEvidence(Read):
    """`kept`: transactions of the new primary at its promotion. `read`: those that the reader saw on the old primary;
    empty and unknown are different. `late`: acknowledged by the old primary after the promotion. `after`: the ledger
    of the clients of the new primary. `stays_down`: the words of the old primary if it did not start. `rejoined`,
    `others`: the node that was down and the other replicas under the present primary. `struck`: names of the nodes that
    the fault struck. `has_gtids`: whether the binlogs of both primaries were to be compared; `logs_updates`: whether
    the new primary's holds what it received as a replica. `of_replica`: a replica was down, and the primary is the old
    one.
    """

    kept: Seen | None
    read: Keys | None
    late: Keys | None
    after: Ledger | None
    returns: bool  # the old primary comes back under a new one
    rebuilt: bool  # as a copy of the new one: nobody started it with its own data
    stays_down: str | None
    rejoined: ReplicaSeen | None
    others: tuple[tuple[str, ReplicaSeen], ...]
    struck: frozenset[str]
    has_gtids: bool
    logs_updates: bool
    gtids: GtidsSeen | None
    of_replica: bool
    updates: UpdatesSeen | None  # also None when nobody updated rows
