"""An expendable server that is not ours: crashed and started by its owner's commands."""

import os
import socket
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from workers.crash.trial import Attached
from workers.errors import SandboxError, ServerError
from workers.sandbox.server import Recovery
from workers.servers import ask
from workers.servers.connection import connect

POLL_S = 0.1
ALIVE = "durascope_alive"  # a lock that the server forgets when it goes down, and only then
LAST_WORDS = 500


class AttachedServer:
    """`crash`, then `recover`. It has no error log and no option file that we could read."""

    my_cnf = ""
    log_text = ""

    def __init__(self, attached: Attached) -> None:
        self.target = attached.target
        self._attached = attached
        self._running: subprocess.Popen | None = None
        self._holder: Any = None  # the connection that holds the lock

    def binlog_index(self, variables: Mapping[str, str]) -> Path | None:
        """None: the binlog's files are not on this host, or not ours to read. The address does not tell: a tunnel
        makes a far server look near, and its path may be that of another server here."""
        index = variables.get("log_bin_index", "")
        here = variables.get("hostname") == socket.gethostname()
        return Path(index) if index and here and os.access(index, os.R_OK) else None

    def crash(self) -> None:
        self._holder = connect(self.target)
        ask.value(self._holder, "SELECT GET_LOCK(%s, 1)", [ALIVE])
        self._run(self._attached.crash, "crash")

    def recover(self, settings: Mapping[str, str]) -> Recovery:
        """Start it and wait until it answers. `settings` are the server's own affair. SandboxError when it does not
        come back, or has never been down."""
        began = time.monotonic()
        if self._attached.start:
            self._run(self._attached.start, "start")
        while (held := self._lock_held()) is None:
            if time.monotonic() - began > self._attached.limit_s:
                raise SandboxError(
                    f"{self.target.name} did not answer within {self._attached.limit_s:g} s after its start command.",
                    "Look after it by hand: it is still down.",
                )
            time.sleep(POLL_S)
        if held:
            raise SandboxError(
                f"{self.target.name} was never down: its crash command did nothing to it.",
                "Mend the command. Nothing was found out.",
            )
        return Recovery(time.monotonic() - began, ())

    def kill(self) -> None:
        """Stop the command that is running, if any. The server is not ours to kill."""
        if self._running:
            self._running.kill()

    def close(self) -> None:
        """Let go of what is held. May be called twice."""
        if self._holder:
            self._holder._force_close()

    def _lock_held(self) -> bool | None:
        """None: the server does not answer."""
        try:
            with connect(self.target, timeout_s=2) as connection:
                return ask.value(connection, "SELECT IS_USED_LOCK(%s)", [ALIVE]) is not None
        except ServerError:
            return None

    def _run(self, argv: tuple[str, ...], what: str) -> None:
        """The program's name only is told to anybody: its arguments may hold what is nobody's business."""
        with tempfile.TemporaryFile() as output:  # not a pipe: what the command leaves running may keep it open
            status = self._wait(argv, what, output)
            output.seek(0)
            said = output.read().decode(errors="replace").strip()
        if status:
            raise SandboxError(
                f"The {what} command {argv[0]} ended with status {status}: {said[-LAST_WORDS:]}",
                "Look after the server by hand: it may be down.",
            )

    def _wait(self, argv: tuple[str, ...], what: str, output: IO[bytes]) -> int:
        """Its exit status."""
        try:
            self._running = subprocess.Popen(
                argv, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
            )
            return self._running.wait(self._attached.limit_s)
        except OSError as error:
            raise SandboxError(f"The {what} command could not be run: {error}.", "Mend it.") from error
        except subprocess.TimeoutExpired as late:
            self._running.kill()
            self._running.wait()
            raise SandboxError(
                f"The {what} command {argv[0]} did not end within {self._attached.limit_s:g} s.",
                "Look after the server by hand: it may be down.",
            ) from late
