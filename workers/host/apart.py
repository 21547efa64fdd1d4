"""Runs a function in a process of its own, with a limit of time and memory: for what a hostile server sends.

C code that holds Python's lock, such as a conversion of a long number, cannot be interrupted within the process. A
child can be killed. A fork server (`fork_server.py`) makes it: a process without threads that has imported what the
children need, so a child is there in milliseconds, where a fresh Python takes most of a second.
"""

import atexit
import math
import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import ParamSpec, TypeVar, cast

from workers.errors import DurascopeError

P = ParamSpec("P")
T = TypeVar("T")
PROJECT = Path(__file__).resolve().parents[2]
STARTS_S = 60.0  # the fork server imports what its children need
FORK = b"f"
LENGTH_BYTES = 8
MOST_RESULT_BYTES = 64 << 20


@dataclass(frozen=True)
class ApartLimits:
    """Of one child. `memory_bytes`: beside what the program itself takes."""

    seconds: float
    memory_bytes: int = 128 << 20


class BrokeOff(DurascopeError):
    """The child was killed at its limit, or ended without a result. The message begins with a verb: *took ...*."""


class ForkServer:
    """`preload`: names of the modules that the children need. Threads may call `run` side by side."""

    def __init__(self, preload: Sequence[str]) -> None:
        self._preload = preload
        self._starting = threading.Lock()
        self._control: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None
        atexit.register(self.close)

    def ready(self) -> None:
        """Start it now: the first child then counts no start of Python. A failure shows at `run`."""
        with suppress(BrokeOff):
            self.run(ApartLimits(STARTS_S), os.getpid)

    def close(self) -> None:
        """It and its children end. The next `run` starts another one."""
        if self._control:
            self._gone(self._control)

    def run(self, limits: ApartLimits, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The result of a function of a module, called in a child. Raises what it raises, and BrokeOff."""
        link, child = self._fork()
        with link:
            try:
                until_s = time.monotonic() + limits.seconds
                send(link, pickle.dumps((limits, work, args, kwargs)))
                result, failure = pickle.loads(receive(link, until_s))  # noqa: S301 - from a process of ours
            except TimeoutError:
                raise BrokeOff(f"took more than {limits.seconds:g} s") from None
            except (OSError, EOFError):
                raise BrokeOff(f"took more than {limits.memory_bytes >> 20} MiB of memory, or was killed") from None
            finally:
                _kill(child)
        if failure is not None:
            raise failure
        return cast(T, result)

    def _fork(self) -> tuple[socket.socket, int]:
        """A socket whose other end a new child has, and the child as a pidfd."""
        for _ in range(2):  # a fork server that was killed is replaced
            ours, theirs = socket.socketpair()
            with closing(theirs):
                control = self._started()
                try:
                    socket.send_fds(control, [FORK], [theirs.fileno()])
                except OSError:
                    self._gone(control)
                    ours.close()
                    continue
            ours.settimeout(STARTS_S)
            try:
                _, files, _, _ = socket.recv_fds(ours, 1, 1)
            except OSError:
                files = []
            if files:
                return ours, files[0]
            ours.close()
            self._gone(control)
        raise BrokeOff("could not be started on this host")

    def _started(self) -> socket.socket:
        with self._starting:
            if self._control is None:
                ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
                with closing(theirs):
                    argv = [sys.executable, "-m", "workers.host.fork_server", *self._preload]
                    self._process = subprocess.Popen(
                        argv, stdin=theirs.fileno(), stdout=subprocess.DEVNULL, cwd=PROJECT
                    )
                self._control = ours
            return self._control

    def _gone(self, control: socket.socket) -> None:
        with self._starting:
            if self._control is control:
                self._control = None
                control.close()
                assert self._process
                self._process.kill()
                self._process.wait()


def _kill(child: int) -> None:
    """By its pidfd: its number may belong to another process by now."""
    try:
        signal.pidfd_send_signal(child, signal.SIGKILL)
    except ProcessLookupError:
        pass  # it has ended
    finally:
        os.close(child)


def send(link: socket.socket, data: bytes) -> None:
    link.sendall(len(data).to_bytes(LENGTH_BYTES, "little"))
    link.sendall(data)


def receive(link: socket.socket, until_s: float) -> bytes:
    """`until_s`: on the monotonic clock. TimeoutError, EOFError: it did not come."""
    size = int.from_bytes(_exactly(link, LENGTH_BYTES, until_s), "little")
    if size > MOST_RESULT_BYTES:
        raise EOFError
    return _exactly(link, size, until_s)


def _exactly(link: socket.socket, size: int, until_s: float) -> bytes:
    parts = bytearray()
    while len(parts) < size:
        link.settimeout(None if until_s == math.inf else max(until_s - time.monotonic(), 0.001))
        part = link.recv(min(size - len(parts), 1 << 20))
        if not part:
            raise EOFError
        parts += part
    return bytes(parts)
