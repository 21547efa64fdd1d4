"""A cluster after a fault: it goes on by itself, is forced to go on, or is started again."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from workers.crash.evidence import Seen
from workers.crash.replica import SCHEMA
from workers.errors import DurascopeError, SandboxError, ServerEnded
from workers.servers import ask
from workers.servers.connection import connect
from workers.topology.chain import Promoted, Struck
from workers.topology.kinds.cluster.membership import POLL_S, Membership, Position
from workers.topology.nodes import Node, on_each
from workers.topology.takeover import AWAKE_S, read, take_over

# And the time in which a group does not expel. A new primary of MySQL first applies what it has received: with one
# thread on a slow disk 130 ms for each commit.
LIMIT_S = 600.0
PROBE_S = 10.0  # for one answer: a node without a majority may give none
PROBE = (
    "BEGIN",
    f"INSERT INTO `{SCHEMA}`.one VALUES (1003, 1, 0, 0)",  # noqa: S608 - no foreign text
    f"DELETE FROM `{SCHEMA}`.one WHERE client = 1003",  # noqa: S608 - no foreign text
    "COMMIT",
)


def first_to_accept(struck: Struck, nodes: tuple[Node, ...], awake: tuple[Node, ...] = ()) -> Node:
    """`awake`: nodes that are asked first, once a pause is over."""
    began, refused = struck.ports.clock(), ""
    while True:
        for node in (*awake, *nodes) if struck.pause_left_s <= 0 else nodes:
            if not (refused := _refusal(node)):
                return node
        pause(struck, began, f"No node accepted a write: {refused}")


def _refusal(node: Node) -> str:
    """Its words; "" when it accepts a write."""
    try:
        with connect(node.sandbox.target, answer_s=PROBE_S) as connection:
            for statement in PROBE:
                ask.rows(connection, statement)
    except DurascopeError as refused:
        return refused.message
    return ""


def pause(struck: Struck, began: float, why: str) -> None:
    """Raises SandboxError when it takes too long."""
    struck.timeline.must_go_on()
    limit_s = LIMIT_S + struck.setup.topology.expel_timeout_s
    if struck.ports.clock() > began + limit_s:
        raise SandboxError(f"{why} It took more than {limit_s:g} s.", "See the error logs of the nodes.")
    struck.ports.sleep(POLL_S)


@dataclass(frozen=True)
class RestartPorts:
    """The functions that use a node which was started again; tests replace them."""

    read: Callable[[Node, bytes], tuple[Seen | None, tuple[str, ...]]] = read
    first_to_accept: Callable[[Struck, tuple[Node, ...]], Node] = first_to_accept
    take_over: Callable[..., Promoted] = take_over


PORTS = RestartPorts()


@dataclass(frozen=True)
class Revived:
    node: Node
    position: Position
    seen: Seen | None
    problems: tuple[str, ...]


def fail_over(struck: Struck, cluster: Membership, ports: RestartPorts = PORTS) -> Promoted:
    if not struck.standing:
        return _started_again(struck, cluster, ports)
    if not (struck.fault.harmless or struck.fault.spares_primary):
        struck.clients_reach(*_able(struck))
    if struck.fault.pauses:
        return _outlasted(struck, cluster)
    return _survived(struck, cluster) if 2 * len(struck.standing) > len(struck.nodes) else _forced(struck, cluster)


def _survived(struck: Struck, cluster: Membership) -> Promoted:
    """The others notice that nodes are gone, and go on."""
    struck.timeline.step("failover")
    if struck.fault.harmless and not struck.fault.spares_primary:
        struck.primary.sandbox.stop()
    able = _able(struck)
    _wait_until_noticed(struck, cluster, able[0], len(struck.standing if struck.fault.spares_primary else able))
    noticed = struck.ports.clock()
    new = first_to_accept(struck, able)
    if struck.fault.spares_primary:
        struck.hear()
    stays = struck.fault.comes_back  # beyond a partition
    first = cluster.causal_read if struck.fault.spares_primary else ""  # others acknowledged what it may not show yet
    return take_over(struck, new, began=noticed, detection_s=noticed - struck.struck_at, old_stays=stays, first=first)


def _outlasted(struck: Struck, cluster: Membership) -> Promoted:
    """The others go on without the paused nodes, or all go on when the pause is over. The rows are read once the paused
    nodes and their clients are awake: a commit that all nodes have is no loss, whoever acknowledged it."""
    struck.timeline.step("failover")
    able = _able(struck)
    _wait_until_noticed(struck, cluster, struck.standing[0], len(struck.standing))
    noticed = struck.ports.clock()
    new = first_to_accept(struck, able, awake=(struck.primary,))
    accepted, expelled = struck.ports.clock(), struck.pause_left_s > 0
    struck.outlast_pause(AWAKE_S)
    struck.hear()
    return take_over(
        struck,
        new,
        began=noticed,
        detection_s=noticed - struck.struck_at,
        old_stays=True,
        promoted_at=accepted,
        first=cluster.causal_read,
        expelled=expelled,
    )


def _forced(struck: Struck, cluster: Membership) -> Promoted:
    """Somebody tells the last nodes to go on without the others."""
    _wait_until_noticed(struck, cluster, struck.standing[0], len(struck.nodes) // 2)
    noticed = struck.ports.clock()
    if struck.fault.spares_primary:
        struck.hear()
    struck.timeline.step("failover")
    cluster.force(struck.standing)
    new = first_to_accept(struck, struck.standing)
    return take_over(struck, new, began=noticed, detection_s=noticed - struck.struck_at)


def _able(struck: Struck) -> tuple[Node, ...]:
    """The nodes that may take writes: the first one goes on, or one of the others takes over."""
    if struck.fault.spares_primary:
        return (struck.primary,)
    return tuple(node for node in struck.standing if node is not struck.primary)


def _started_again(struck: Struck, cluster: Membership, ports: RestartPorts) -> Promoted:
    """Each node is started and read by itself; the one that the policy names becomes the first of a new cluster."""
    clock = struck.ports.clock
    began = clock()
    struck.timeline.step("start nodes again")
    found = on_each(struck.returning, lambda node: _revived(struck, cluster, node, ports))
    recovery_s = clock() - began
    problems = tuple(why for one in found for why in one.problems)
    able = [one for one in found if one.position.order >= 0]
    if not able:
        raise SandboxError("No node of the cluster starts again.", "; ".join(problems))
    chosen = _chosen(struck, able)
    struck.timeline.step("bootstrap")
    cluster.bootstrap(chosen.node, chosen.position)
    return ports.take_over(
        struck,
        ports.first_to_accept(struck, (chosen.node,)),
        began=began,
        recovery_s=recovery_s,
        alone={one.node.name: one.seen for one in found if one.seen is not None},
        positions={one.node.name: one.position.text for one in able},
        problems=problems,
    )


def _chosen(struck: Struck, able: Sequence[Revived]) -> Revived:
    """SandboxError: the node that the policy names does not start again."""
    policy = struck.setup.policy
    if policy.promote == "first":
        return able[0]
    if policy.promote != "named":
        return max(able, key=lambda one: one.position.order)
    named = struck.nodes[policy.named]
    if found := next((one for one in able if one.node is named), None):
        return found
    raise SandboxError(f"{named.name}, which the policy names, does not start again.", "See its error log.")


def _revived(struck: Struck, cluster: Membership, node: Node, ports: RestartPorts) -> Revived:
    """A node that does not start has no position."""
    try:
        position = cluster.revive(node)
    except ServerEnded as ended:
        return Revived(node, Position(-1, ""), None, (f"{node.name} does not start: {ended.message}",))
    return Revived(node, position, *ports.read(node, struck.secret))


def _wait_until_noticed(struck: Struck, cluster: Membership, node: Node, present: int) -> None:
    """Until the node counts at most so many nodes as present, or a pause is over."""
    began = struck.ports.clock()
    with connect(node.sandbox.target) as connection:
        while cluster.members(connection) > present:
            if struck.fault.pauses and struck.pause_left_s <= 0:
                return
            pause(struck, began, f"{node.name} did not notice that other nodes were gone.")
