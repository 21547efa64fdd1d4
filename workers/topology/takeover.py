"""A node takes over: clients reconnect and commit on it, its rows are read, and the old primary falls silent."""

from collections.abc import Mapping
from dataclasses import replace

from workers.crash import compare_tables
from workers.crash.evidence import ReplicaSeen, Seen
from workers.crash.replica import SCHEMA
from workers.errors import DurascopeError, reason
from workers.servers import ask
from workers.servers.connection import connect
from workers.topology.chain import Promoted, Struck
from workers.topology.nodes import Node
from workers.topology.semi_sync_status import counters
from workers.topology.updates import kept_versions

REJOIN = "as a replica of the new primary"
LIMIT_S = 60.0
MORE_S = 1.0  # after the first answer, for the other clients
AFTER_S = 0.2  # how long they commit afterwards
POLL_S = 0.02
AWAKE_S, MOST_WAIT_S = 1.0, 15.0


def take_over(
    struck: Struck,
    new: Node,
    *,
    began: float,
    detection_s: float | None = None,
    recovery_s: float | None = None,
    applying_s: float | None = None,
    alone: Mapping[str, Seen] | None = None,
    positions: Mapping[str, str] | None = None,
    problems: tuple[str, ...] = (),
    old_stays: bool = False,
    promoted_at: float = 0.0,
    first: str = "",
    expelled: bool | None = None,
) -> Promoted:
    """Call it when the new primary accepts writes. `began`: when the failover began, `detection_s` after somebody could
    notice the fault (monotonic clock). The parts of the outage: see WriteOutage. `old_stays`: a primary that still runs
    is heard and not ended. `promoted_at`: 0: now. `first`: a statement before the rows are read. Raises ServerError."""
    clock = struck.ports.clock
    promoted_at = promoted_at or clock()
    struck.clients_reach(new)
    kept, unread = read(new, struck.secret, first)
    kept = struck.after.left_out(kept) if kept else None
    versions = _versions(struck, new, first)
    _commit(struck)
    if struck.primary.sandbox.running and not struck.fault.spares_primary:
        struck.outlast_pause(_awake_s(struck))
    if old_stays:
        struck.hear()
    elif new is not struck.primary:
        struck = silence(struck)
    return Promoted(
        **vars(struck),
        new=new,
        kept=kept,
        alone=alone or {},
        positions=positions or {},
        noticed_from=began - (detection_s or 0.0),
        promoted_at=promoted_at,
        detection_s=detection_s,
        recovery_s=recovery_s,
        applying_s=applying_s,
        problems=(*problems, *unread),
        expelled=expelled,
        kept_versions=versions,
    )


def _awake_s(struck: Struck) -> float:
    """How long a primary is watched that was paused: it may wait for replicas before it acknowledges anything."""
    topology = struck.setup.topology
    return AWAKE_S + (min(topology.timeout_ms / 1000, MOST_WAIT_S) if topology.kind == "semi-sync" else 0.0)


def silence(struck: Struck) -> Struck:
    """End a primary that still runs, and read its counters and its last answers."""
    if not struck.primary.sandbox.running:
        return struck
    struck = counted_again(struck)
    struck.primary.sandbox.freeze()
    struck.witness.drain()
    struck.reader.drain()
    struck.primary.sandbox.kill()
    return struck


def counted_again(struck: Struck) -> Struck:
    """With the counters of a primary that lives: what they were before the fault says nothing of the waits since. One
    that is still frozen has counted nothing more."""
    if struck.fault.strikes(0) and struck.pause_left_s > 0:
        return struck
    return replace(struck, semi_sync=counters(struck.setup.topology, struck.primary.sandbox.target))


def read(node: Node, secret: bytes, first: str = "") -> tuple[Seen | None, tuple[str, ...]]:
    """The witness's transactions on a node; None and the reason when they cannot be read."""
    try:
        with connect(node.sandbox.target) as connection:
            if first:
                ask.rows(connection, first)
            return compare_tables.seen(compare_tables.read_rows(connection, SCHEMA), secret), ()
    except (DurascopeError, ValueError) as failure:
        return None, (f"the rows of {node.name} could not be read: {reason(failure)}",)


def compared(new: Node, node: Node, secret: bytes, first: str = "") -> ReplicaSeen:
    """A node that replicates from the new primary and has caught up with it. `first`: a statement before each node is
    read. Raises ServerError."""
    with connect(new.sandbox.target) as source, connect(node.sandbox.target) as follower:
        for one in (source, follower) if first else ():
            ask.rows(one, first)
        left, right = (compare_tables.read_rows(one, SCHEMA) for one in (source, follower))
    found = compare_tables.difference(left, right)
    seen = compare_tables.seen(right, secret)
    return ReplicaSeen(REJOIN, "caught up", "", found.rows, seen, found.first_left, found.first_right)


def refused(node: Node, state: str, error: str, secret: bytes) -> ReplicaSeen:
    """A node that does not follow the new primary: what it holds is read all the same."""
    return ReplicaSeen(REJOIN, state, error, seen=read(node, secret)[0])


def _versions(struck: Struck, new: Node, first: str) -> Mapping[int, int] | None:
    """None: nobody updated rows, or they are not readable."""
    if not struck.versions:
        return None
    struck.versions.close()
    return kept_versions(new.sandbox.target, first)


def _commit(struck: Struck) -> None:
    """Until each client has an answer, and a little longer. A server that gives none within the limit has not taken
    over."""
    clock, after = struck.ports.clock, struck.after
    first, every = clock() + LIMIT_S, 0.0
    while clock() < (every or first) and not after.all_answered():
        every = every or (clock() + MORE_S if len(after.ledger().acknowledged()) else 0.0)
        struck.timeline.must_go_on()
        struck.ports.sleep(POLL_S)
    struck.ports.sleep(AFTER_S)
    after.close()
