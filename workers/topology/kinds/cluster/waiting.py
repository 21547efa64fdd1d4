"""Waiting for a node."""

import time
from collections.abc import Callable

from workers.errors import SandboxError, ServerEnded
from workers.topology.nodes import Node

POLL_S = 0.02


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
