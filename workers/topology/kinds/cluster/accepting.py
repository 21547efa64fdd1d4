"""Which node of a cluster accepts a write again.

Clients know only one sign that a cluster goes on: a commit is accepted. So a transaction that leaves no row is tried on
the nodes, one after the other, until one accepts it.
"""

from workers.crash.replica import SCHEMA
from workers.errors import DurascopeError, SandboxError
from workers.servers import ask
from workers.servers.connection import connect
from workers.topology.chain import Struck
from workers.topology.kinds.cluster.waiting import POLL_S
from workers.topology.nodes import Node

LIMIT_S = 120.0
PROBE_S = 10.0  # for one answer: a node without a majority may give none
PROBE = (
    "BEGIN",
    f"INSERT INTO `{SCHEMA}`.one VALUES (1003, 1, 0, 0)",  # noqa: S608 - no foreign text
    f"DELETE FROM `{SCHEMA}`.one WHERE client = 1003",  # noqa: S608 - no foreign text
    "COMMIT",
)


def first_to_accept(struck: Struck, nodes: tuple[Node, ...], awake: tuple[Node, ...] = ()) -> Node:
    """`awake`: nodes that are asked first, once a pause is over."""
    deadline, refused = struck.ports.clock() + LIMIT_S, ""
    while True:
        for node in (*awake, *nodes) if struck.pause_left_s <= 0 else nodes:
            if not (refused := _refusal(node)):
                return node
        pause(struck, deadline, f"No node accepted a write: {refused}")


def _refusal(node: Node) -> str:
    """Its words; "" when it accepts a write."""
    try:
        with connect(node.sandbox.target, answer_s=PROBE_S) as connection:
            for statement in PROBE:
                ask.rows(connection, statement)
    except DurascopeError as refused:
        return refused.message
    return ""


def pause(struck: Struck, deadline: float, why: str) -> None:
    """Raises SandboxError after the deadline."""
    struck.timeline.must_go_on()
    if struck.ports.clock() > deadline:
        raise SandboxError(f"{why} It took more than {LIMIT_S:g} s.", "See the error logs of the nodes.")
    struck.ports.sleep(POLL_S)
