"""The failover: a replica is chosen, applies its relay log and takes over."""

from workers.crash import compare_tables
from workers.crash.evidence import Seen
from workers.crash.gtid import count, parse
from workers.crash.replica import SCHEMA
from workers.crash.replica_link import Link
from workers.crash.witness import Witness
from workers.errors import DurascopeError, reason
from workers.servers.connection import connect
from workers.topology.chain import Promoted, Struck
from workers.topology.nodes import Node

LIMIT_S = 60.0
AFTER = 2000  # the first number of the clients that commit on the new primary
AFTER_S = 0.2  # how long they commit after the first answer
POLL_S = 0.02
LAST_ANSWER_S = 0.5  # of a server that lives


def fail_over(struck: Struck) -> Promoted:
    """Promote a replica by the policy, then let clients commit on it. Raises SandboxError or ServerError."""
    policy, clock = struck.setup.policy, struck.ports.clock
    struck.ports.sleep(struck.setup.detection_s)
    began = clock()
    if policy.fence or struck.fault.harmless:
        _fence(struck)
    struck.timeline.step("failover")
    _return_replicas(struck)
    link = _chosen(struck)
    _promote(link, stop_first=policy.relay_log == "stop receiving, then apply")
    promoted_at = clock()
    new = next(node for node in struck.replicas if node.sandbox is link.follower)
    kept, problems = read(new, struck.secret)
    logging_in = clock()
    after = struck.ports.witness(new.sandbox.target, SCHEMA, struck.setup.clients, struck.secret, AFTER)
    struck.made.callback(after.close)
    login_s = clock() - logging_in
    _commit(struck, after)
    _silence(struck)
    return Promoted(
        **vars(struck),
        new=new,
        kept=kept,
        promoted_at=promoted_at,
        failover_s=promoted_at - began,
        login_s=login_s,
        after=after,
        problems=problems,
    )


def read(node: Node, secret: bytes) -> tuple[Seen | None, tuple[str, ...]]:
    """The witness's transactions on a node; None and the reason when they cannot be read."""
    try:
        with connect(node.sandbox.target) as connection:
            return compare_tables.seen(compare_tables.read_rows(connection, SCHEMA), secret), ()
    except (DurascopeError, ValueError) as failure:
        return None, (f"the rows of {node.name} could not be read: {reason(failure)}",)


def _fence(struck: Struck) -> None:
    """A primary that still runs gets no more clients. After a graceful switchover it ends as a service manager ends
    it, once its replicas have everything."""
    if struck.fault.primary_down:
        return
    struck.timeline.step("fence")
    if struck.fault.harmless:
        for link in struck.links:
            link.follow(LIMIT_S)
        struck.primary.sandbox.stop()
    else:
        _silence(struck)


def _silence(struck: Struck) -> None:
    """End a primary that still runs, and read its last answers."""
    if struck.primary.sandbox.running:
        struck.primary.sandbox.freeze()
        struck.witness.drain()
        struck.reader.drain()
        struck.primary.sandbox.kill()


def _return_replicas(struck: Struck) -> None:
    if struck.fault.replicas_down:
        for node in struck.replicas:
            node.restart({})


def _chosen(struck: Struck) -> Link:
    if struck.setup.policy.promote == "first" or len(struck.links) == 1:
        return struck.links[0]
    return max(struck.links, key=lambda link: count(parse(link.received())))


def _promote(link: Link, stop_first: bool) -> None:
    if stop_first:
        link.tell("STOP", "IO_THREAD")
    link.tell("START", "SQL_THREAD")
    link.apply_received(LIMIT_S)
    link.settle(LIMIT_S)


def _commit(struck: Struck, after: Witness) -> None:
    """Until the first answer, and a little longer. A server that gives none within the limit has not taken over."""
    clock = struck.ports.clock
    after.begin()
    deadline = clock() + LIMIT_S
    while after.alive and clock() < deadline and not len(after.ledger().acknowledged()):
        struck.timeline.must_go_on()
        struck.ports.sleep(POLL_S)
    struck.ports.sleep(AFTER_S)
    after.drain(LAST_ANSWER_S)
