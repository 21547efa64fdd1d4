"""A server that plays an owner's: crashed and started by commands, as its owner would give them."""

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from workers.sandbox.server import Sandbox

END_S = 60.0
# A process is gone when nothing but its dead first thread is left: until then it holds files and ports.
GONE = 'while [ -e /proc/$p ] && ! { grep -q "^State:.Z" /proc/$p/status && [ $(ls /proc/$p/task | wc -l) = 1 ]; }'
KILL = f"p=$(cat %s); kill -KILL $p; {GONE}; do sleep 0.02; done 2>/dev/null; true"
# MySQL does not start while the process that its lock names exists, also if it is dead and its parent slow to notice.
FREE = "rm -f %s/run/sock.lock"


@dataclass(frozen=True)
class Owned:
    """The server and its owner's two commands."""

    server: Sandbox
    crash: tuple[str, ...]
    start: tuple[str, ...]


@contextmanager
def owned(server: Sandbox) -> Iterator[Owned]:
    """What the start command left running is ended."""
    server._room.socket = server.folder / "run/sock"  # what its owner's command starts makes another one
    pid_file = server.folder / "run/pid"
    user = ["setpriv", f"--reuid={server.user.uid}", f"--regid={server.user.gid}", "--clear-groups"]
    become = " ".join(user) if server.user.switch else ""
    start = f"{FREE % server.folder}; {become} {server.build.mysqld} --defaults-file={server.folder}/my.cnf &"
    try:
        yield Owned(server, ("sh", "-c", KILL % pid_file), ("sh", "-c", start))
    finally:
        end(server)


def end(server: Sandbox) -> None:
    """Whoever started it. It is found by its option file, for a pid file may be old, or not written yet."""
    mine = f"--defaults-file={server.folder}/my.cnf".encode()
    server.kill()
    deadline = time.monotonic() + END_S
    while found := [process for process in Path("/proc").glob("[0-9]*") if mine in _arguments(process)]:
        assert time.monotonic() < deadline, f"{found} did not end"
        for process in found:
            _kill(int(process.name))
        time.sleep(0.05)


def _arguments(process: Path) -> list[bytes]:
    """None of one that is gone, or a zombie."""
    try:
        return (process / "cmdline").read_bytes().split(b"\0")
    except OSError:
        return []


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
