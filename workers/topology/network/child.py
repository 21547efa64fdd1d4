"""A process of the worker's that forwards, and the line on which it is told what to do."""

import contextlib
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

from workers.errors import SandboxError, reason
from workers.sandbox import process
from workers.sandbox.users import unprivileged_user

PROJECT = Path(__file__).resolve().parents[3]
ANSWER_TIMEOUT_S = 60  # also for its start, on a machine that may be busy
MOST_BYTES = 1 << 16
ANSWERS = (b"ok", b"no:")  # anything else is its last words, up to its end


class NetworkProcess:
    """It ends with the worker, or before. SandboxError: it did not start.

    It speaks on one pair of sockets: our commands, its answers, and its last words if it fails.
    """

    def __init__(self, name: str, module: str, *arguments: int) -> None:
        self._name, self._lock = name, threading.Lock()
        user = unprivileged_user()
        become = (user.uid, user.gid) if user.switch else (-1, -1)
        numbers = map(str, (*become, os.getpid(), *arguments))
        environment = {"PYTHONPATH": str(PROJECT), "PYTHONDONTWRITEBYTECODE": "1", "LANG": "C"}
        argv = [sys.executable, "-S", "-P", "-m", f"workers.topology.network.{module}", *numbers]
        self._line, theirs = socket.socketpair()
        try:
            self._line.settimeout(ANSWER_TIMEOUT_S)
            self._process: subprocess.Popen[bytes] = process.spawn(
                argv, env=environment, cwd=Path("/"), output=theirs.fileno(), stdin=theirs.fileno()
            )
        except BaseException:
            self._line.close()
            raise
        finally:
            theirs.close()

    @property
    def pid(self) -> int:
        return self._process.pid

    def ask(self, command: str, *numbers: int) -> tuple[int, ...]:
        """SandboxError: it refused, or it has ended."""
        words = " ".join([command, *map(str, numbers)])
        with self._lock:
            said = self._answer(words)
        first, *found = said.split() or [""]
        if first == "ok":
            return tuple(map(int, found))
        if first == "no:":
            raise SandboxError(f"{self._name} refused {words!r}: {said[4:].strip()}.", "Nothing was changed.")
        self._process.kill()  # a late answer would be taken for the next one
        why = said.strip()[-500:] or "it said nothing"
        raise SandboxError(f"{self._name} ended when it was asked for {words!r}: {why}.", "Repeat the trial.")

    def end(self) -> None:
        """May be called twice."""
        self._process.kill()
        self._process.wait()
        self._line.close()

    def _answer(self, words: str) -> str:
        said = b""
        try:
            self._line.sendall(f"{words}\n".encode())
        except OSError as error:
            said = reason(error).encode()
        with contextlib.suppress(OSError):
            while not (said.startswith(ANSWERS) and said.endswith(b"\n")) and len(said) < MOST_BYTES:
                piece = self._line.recv(MOST_BYTES)
                if not piece:
                    break
                said += piece
        return said.decode(errors="replace")
