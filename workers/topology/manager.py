"""An owner's failover manager, drilled on the nodes of a trial: a command that watches them and promotes a replica.

It is started before the load and runs until a replica takes writes. Its environment has the nodes as JSON,
DURASCOPE_NODES: a list of role, name, host, port, user and password, of accounts that end with the trial. Replicas are
read-only. The command must notice the loss by itself, apply what the replica received, stop the replication and set
read_only=OFF. Its output is evidence.
"""

import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Sequence

from workers.crash.owners_command import LAST_WORDS, OwnersCommand
from workers.errors import SandboxError, ServerError
from workers.host.until import until
from workers.servers import ask
from workers.servers.connection import connect
from workers.topology.nodes import Node

WHAT = "failover"  # dashboard.findings.redact finds the messages by this word
FIX = "Look at its output. A manager must set read_only=OFF on the replica that it promotes."
POLL_S = 0.02


class FailoverManager:
    """`start`, then `promoted`; `close` in any case."""

    def __init__(self, argv: tuple[str, ...]) -> None:
        self._argv = argv
        self._command = OwnersCommand(0)
        self._running: subprocess.Popen[bytes] | None = None
        self._said = ""
        self._output = tempfile.TemporaryFile()  # noqa: SIM115 - until `close`

    def start(self, primary: Node, replicas: Sequence[Node]) -> None:
        """Replicas are read-only from now on. Raises SandboxError or ServerError."""
        for node in replicas:
            with connect(node.sandbox.target) as connection:
                ask.rows(connection, "SET GLOBAL read_only = ON")
        nodes = [_told("primary", primary), *(_told("replica", node) for node in replicas)]
        self._running = self._command.start(self._argv, WHAT, self._output, {"DURASCOPE_NODES": json.dumps(nodes)})

    def promoted(self, replicas: Sequence[Node], limit_s: float, must_go_on: Callable[[], None]) -> Node:
        """The first replica that takes writes. SandboxError: none does within the limit, or the manager failed."""

        def must_run() -> None:
            must_go_on()
            if self._running and (status := self._running.poll()):
                said = self.output[-LAST_WORDS:]
                raise SandboxError(f"The {WHAT} command {self._argv[0]} ended with status {status}: {said}", FIX)

        if new := until(lambda: next(filter(_takes_writes, replicas), None), limit_s, POLL_S, must_run):
            return new
        late = f"did not end within {limit_s:g} s with a replica that takes writes."
        raise SandboxError(f"The {WHAT} command {self._argv[0]} {late}", FIX)

    @property
    def output(self) -> str:
        """So far. The command writes at the position of the same open file, which is therefore not moved."""
        if self._output.closed:
            return self._said
        file = self._output.fileno()
        return os.pread(file, os.fstat(file).st_size, 0).decode(errors="replace").strip()

    def close(self) -> None:
        """End it with its child processes, and keep its output. May be called twice."""
        self.kill()
        if self._running:
            self._running.wait()
        self._said = self.output
        self._output.close()

    def kill(self) -> None:
        """From another thread."""
        self._command.kill()


def _told(role: str, node: Node) -> dict[str, object]:
    target = node.sandbox.target
    return {
        "role": role, "name": node.name, "host": target.host, "port": target.port, "user": target.user,
        "password": target.password,
    }  # fmt: skip


def _takes_writes(node: Node) -> bool:
    try:
        with connect(node.sandbox.target) as connection:
            return not ask.integer(ask.value(connection, "SELECT @@GLOBAL.read_only"))
    except ServerError:  # a manager may restart it
        return False
