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
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import ParamSpec, TypeVar, cast

from workers.errors import DurascopeError

P = ParamSpec("P")
T = TypeVar("T")
PROJECT = Path(__file__).resolve().parents[2]
ENDS_S = 0.5  # after its sockets were closed
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
        self._calls = 0  # of `run`, now
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
        with self._counted():
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

    @contextmanager
    def _counted(self) -> Iterator[None]:
        with self._starting:
            self._calls += 1
        try:
            yield
        finally:
            with self._starting:
                self._calls -= 1

    def _fork(self) -> tuple[socket.socket, int]:
        """A socket whose other end a new child has, and the child as a pidfd."""
        for _ in range(2):
            ours, theirs = socket.socketpair()
            ours.settimeout(STARTS_S)
            with closing(theirs):
                control = self._started()
                with suppress(OSError):  # the fork server has ended
                    socket.send_fds(control, [FORK], [theirs.fileno()])
            with suppress(OSError):
                _, files, _, _ = socket.recv_fds(ours, 1, 1)
                if files:
                    return ours, files[0]
            ours.close()
            if not self._replaced(control):
                break
        raise BrokeOff("could not be started on this host")

    def _replaced(self, control: socket.socket) -> bool:
        """A fork server that has ended is replaced. One that hangs, or cannot fork, is too, but not while it has other
        children: they would end with it."""
        with self._starting:
            if self._control is not control:  # another call has done it
                return True
            process = self._process
        assert process
        with suppress(subprocess.TimeoutExpired):
            process.wait(ENDS_S)
        if process.poll() is None and self._calls > 1:
            return False
        self._gone(control)
        return True

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
