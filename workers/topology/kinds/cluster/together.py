"""The same act on several nodes at once, and waiting for one."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from workers.errors import SandboxError, ServerEnded
from workers.topology.nodes import Node

POLL_S = 0.02
T = TypeVar("T")


def on_each(nodes: Sequence[Node], act: Callable[[Node], T]) -> tuple[T, ...]:
    """All end before the first error is raised."""
    with ThreadPoolExecutor(max(1, len(nodes)), thread_name_prefix="node") as pool:
        return tuple(pool.map(act, nodes))


def wait(node: Node, is_so: Callable[[], bool], what: str, limit_s: float) -> None:
    """ServerEnded: the node ended by itself meanwhile. SandboxError: it took too long."""
    deadline = time.monotonic() + limit_s
    while not is_so():
        if not node.sandbox.running:
            said = " ".join(node.sandbox.log_text.splitlines()[-8:])
            raise ServerEnded(f"{node.name} ended before {what}. Its error log ends with: {said}")
        if time.monotonic() > deadline:
            raise SandboxError(f"After {limit_s:g} s {what} was still to come on {node.name}.", "See its error log.")
        time.sleep(POLL_S)
