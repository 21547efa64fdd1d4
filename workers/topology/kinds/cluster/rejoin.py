"""The nodes that are down, or run by themselves, join the node that took over; then the rows of all are compared."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace

from workers.crash.evidence import ReplicaSeen, Seen
from workers.errors import DurascopeError, ServerEnded, ServerError, Unreachable
from workers.servers import ask
from workers.servers.connection import connect
from workers.topology.chain import Promoted, Returned
from workers.topology.kinds.cluster.membership import POLL_S, Membership
from workers.topology.nodes import Node
from workers.topology.takeover import REJOIN, compared, read, refused

SAME_GTIDS_S = 60.0  # on a busy machine a member logs late


@dataclass(frozen=True)
class Back:
    """`seen`: its transactions before it joined; None: not read. `stays_down`: its words when it did not start,
    None: not known."""

    joined: ReplicaSeen
    seen: Seen | None = None
    problems: tuple[str, ...] = ()
    stays_down: str | None = ""


def _answer(node: Node, query: str) -> str:
    with connect(node.sandbox.target) as connection:
        return ask.text(connection, query)


def _members(cluster: Membership, node: Node) -> int:
    """How many nodes this one counts; 0: it does not answer now."""
    try:
        with connect(node.sandbox.target) as connection:
            return cluster.members(connection)
    except ServerError:
        return 0


@dataclass(frozen=True)
class JoinPorts:
    """The functions that read the nodes, and the result; tests replace them."""

    members: Callable[[Membership, Node], int] = _members
    answer: Callable[[Node, str], str] = _answer
    read: Callable[[Node, bytes], tuple[Seen | None, tuple[str, ...]]] = read
    compared: Callable[[Node, Node, bytes, str], ReplicaSeen] = compared
    refused: Callable[[Node, str, str, bytes], ReplicaSeen] = refused
    returned: Callable[..., Returned] = Returned


PORTS = JoinPorts()


def come_back(promoted: Promoted, cluster: Membership, ports: JoinPorts = PORTS) -> Returned:
    promoted.timeline.step("other nodes join")
    for number in range(len(promoted.nodes)):
        for wire in promoted.wires_of(number):
            wire.heal()
    promoted.outlast_pause(0)
    old, new = promoted.primary, promoted.new
    nodes = [node for node in promoted.returning if node is not new]
    names = [node.name for node in nodes]
    back = dict(zip(names, _all_back(promoted, cluster, nodes, ports), strict=True))
    first = back.pop(promoted.hit.name, None)
    returns = first is not None and not promoted.fault.of_replica
    problems = tuple(why for one in (first, *back.values()) if one for why in one.problems)
    return ports.returned(
        **{**vars(promoted), "problems": (*promoted.problems, *problems)},
        returns=returns,
        old=promoted.alone.get(old.name) or (first.seen if first and returns else None),
        stays_down=first.stays_down if first else "",
        rejoined=first.joined if first and not first.stays_down else None,
        others=tuple((name, replace(one.joined, seen=one.seen or one.joined.seen)) for name, one in back.items()),
    )


def _all_back(promoted: Promoted, cluster: Membership, nodes: Sequence[Node], ports: JoinPorts) -> list[Back]:
    """Two joiners at one moment wait for one donor, and take twice as long. A member still has to catch up, without the
    donor: so the next node begins when the new primary counts the one before it, or that one has ended."""
    with ThreadPoolExecutor(max(1, len(nodes)), thread_name_prefix="join") as pool:
        begun: list[Future[Back]] = []
        for node in nodes:
            before = ports.members(cluster, promoted.new)
            begun.append(pool.submit(_back, promoted, cluster, node, ports))
            while node is not nodes[-1] and not begun[-1].done():
                if 0 < before < ports.members(cluster, promoted.new):
                    break
                promoted.timeline.must_go_on()
                promoted.ports.sleep(POLL_S)
    return [each.result() for each in begun]


def _back(promoted: Promoted, cluster: Membership, node: Node, ports: JoinPorts) -> Back:
    if node.name in promoted.positions:
        return Back(_joined(promoted, cluster, node, promoted.positions[node.name], ports))
    if node.sandbox.running:
        return Back(_still_there(promoted, cluster, node, ports))
    try:
        position = cluster.revive(node)
    except ServerEnded as ended:
        return Back(ReplicaSeen(REJOIN, "unknown", ended.message), stays_down=ended.message)
    except DurascopeError as failure:
        return Back(ReplicaSeen(REJOIN, "unknown", str(failure)), problems=(str(failure),), stays_down=None)
    seen, problems = ports.read(node, promoted.secret)
    return Back(_joined(promoted, cluster, node, position.text, ports), seen, problems)


def _still_there(promoted: Promoted, cluster: Membership, node: Node, ports: JoinPorts) -> ReplicaSeen:
    """It never left, or was parted from the others."""
    try:
        if promoted.fault.comes_back:
            cluster.wait_until_back(node, len(promoted.nodes))
    except DurascopeError as failure:
        return ports.refused(node, "unknown", str(failure), promoted.secret)
    return _compared(promoted, cluster, node, ports)


def _joined(promoted: Promoted, cluster: Membership, node: Node, position: str, ports: JoinPorts) -> ReplicaSeen:
    try:
        cluster.join(node, position)
    except (ServerEnded, ServerError) as failure:
        is_late = isinstance(failure, Unreachable) and node.sandbox.running
        return ReplicaSeen(REJOIN, "unknown" if is_late else "stopped", failure.message)
    except DurascopeError as failure:
        return ReplicaSeen(REJOIN, "unknown", str(failure))
    return _compared(promoted, cluster, node, ports)


def _compared(promoted: Promoted, cluster: Membership, node: Node, ports: JoinPorts) -> ReplicaSeen:
    try:
        found = ports.compared(promoted.new, node, promoted.secret, cluster.causal_read)
        return replace(found, other_gtids=_other_gtids(promoted, node, cluster.executed, ports))
    except DurascopeError as failure:
        return ports.refused(node, "unknown", str(failure), promoted.secret)


def _other_gtids(promoted: Promoted, node: Node, executed: str, ports: JoinPorts) -> str:
    """A member may log the change of the group a moment later than the others."""
    if not executed:
        return ""
    deadline = promoted.ports.clock() + SAME_GTIDS_S
    while True:
        mine, its = (ports.answer(one, executed) for one in (promoted.new, node))
        if mine == its:
            return ""
        if promoted.ports.clock() > deadline:
            return f"{mine} on {promoted.new.name}, {its} on {node.name}"
        promoted.timeline.must_go_on()
        promoted.ports.sleep(POLL_S)
