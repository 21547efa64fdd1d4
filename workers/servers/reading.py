"""The settings of many servers, read side by side. It sends only SHOW and SELECT, and needs no right beyond
USAGE: what an account may not see stays unknown."""

import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue

from workers.errors import DurascopeError, reason
from workers.host.apart import ApartLimits
from workers.servers import look, replication
from workers.servers.children import CHILDREN, in_child
from workers.servers.connection import connect
from workers.servers.facts import Facts
from workers.servers.replication import Replication
from workers.servers.target import Target

LIMIT_S = 8.0  # for one server: half of it for the login, half for its answers
MOST_BYTES = 16 << 20
AT_ONCE = 32
GRACE_S = 1.0  # a child that keeps its limit says so itself


@dataclass(frozen=True)
class ServerReading:
    """`why`: why there are no facts."""

    facts: Facts | None = None
    replication: Replication | None = None
    why: str = ""


def read(target: Target, limit_s: float = LIMIT_S) -> ServerReading:
    """Never raises, whatever the server does."""
    half = limit_s / 2
    try:
        with connect(target, timeout_s=half, answer_s=half, whole=(half, MOST_BYTES)) as connection:
            facts = look.read(connection)
            return ServerReading(facts, replication.read(connection, facts))
    except DurascopeError as failure:
        return ServerReading(why=str(failure))
    except Exception as failure:  # a hostile server
        return ServerReading(why=f"The server's answer cannot be read: {reason(failure)}.")


def read_apart(target: Target, limit_s: float = LIMIT_S) -> ServerReading:
    """As `read`, in a child process: it ends in time."""
    try:
        return in_child(ApartLimits(limit_s + GRACE_S), read, target, limit_s)
    except DurascopeError as ended:
        return ServerReading(why=str(ended))


def read_all(targets: Sequence[Target], limit_s: float = LIMIT_S) -> list[ServerReading]:
    """In the order of `targets`. A thread that hangs, for example in a name look-up, is left alone."""
    waiting: SimpleQueue[int] = SimpleQueue()
    found: dict[int, ServerReading] = {}
    for number in range(len(targets)):
        waiting.put(number)

    def work() -> None:
        with suppress(Empty):
            while True:
                number = waiting.get_nowait()
                found[number] = read_apart(targets[number], limit_s)

    threads = [threading.Thread(target=work, name="audit", daemon=True) for _ in range(min(AT_ONCE, len(targets)))]
    CHILDREN.ready()
    rounds = -(-len(targets) // AT_ONCE)
    deadline = time.monotonic() + (limit_s + 2 * GRACE_S) * rounds
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
    late = ServerReading(why=f"The server did not answer within {limit_s:g} s.")
    return [found.get(number, late) for number in range(len(targets))]
