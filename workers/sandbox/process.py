"""Starts programs as an unprivileged user, so that they cannot outlive the worker.

A program of a build goes through the door (`door.py`): nothing that comes with a build runs as the worker. Programs of
this machine (cp, cat, sync) only become the user.

The parent-death signal is sent when the *thread* that forked ends. A worker's threads come and go, so one permanent
thread forks all children. The signal is set after the change of the user, which would clear it.
"""

import contextlib
import functools
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from workers.errors import SandboxError, reason
from workers.sandbox.users import User

DOOR = Path(__file__).with_name("door.py")
SYSTEM = {"PATH": os.defpath, "LC_ALL": "C"}
# Files that every server reads. /proc shows a process only what its user may see.
MACHINE = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/proc", "/sys"),
    *("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/nsswitch.conf", "/etc/passwd", "/etc/group"),
    *("/etc/hosts", "/etc/resolv.conf", "/etc/localtime", "/etc/timezone", "/etc/ssl", "/etc/alternatives"),
)  # fmt: skip
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty")
MOST_BYTES = 1 << 20  # of a program's output
POLL_S = 0.2


@dataclass(frozen=True)
class Fence:
    """Files and folders, with all below, that a program of a build may open beside the machine's libraries. `network`:
    the namespace in which it lives; None: the worker's."""

    read: tuple[Path, ...] = ()
    write: tuple[Path, ...] = ()
    network: Path | None = None


@dataclass(frozen=True)
class Answer:
    """`said`: the output. `status`: None: the program was ended because it took too long or printed too much."""

    status: int | None
    said: str


def through_door(user: User, fence: Fence, env: Mapping[str, str]) -> list[str]:
    """The command prefix of a program of a build, which must follow with its absolute path."""
    network = [f"net={fence.network}"] if fence.network else []
    become = [f"uid={user.uid}", f"gid={user.gid}"] if user.switch else []
    read = [f"read={path}" for path in (*MACHINE, *fence.read)]
    write = [f"write={path}" for path in (*DEVICES, *fence.write)]
    given = [f"env={name}={value}" for name, value in env.items()]
    rules = [*network, *become, f"parent={os.getpid()}", *read, *write, *given]
    return [sys.executable, "-I", "-S", str(DOOR), *rules, "--"]


def start(
    argv: Sequence[str],
    user: User,
    fence: Fence,
    *,
    env: Mapping[str, str],
    cwd: Path,
    output: int,
    stdin: int = subprocess.DEVNULL,
) -> subprocess.Popen[bytes]:
    """Start a program of a build, with only `env`. Its output goes to the descriptor `output`."""
    return spawn([*through_door(user, fence, env), *argv], env=SYSTEM, cwd=cwd, output=output, stdin=stdin)


def spawn(
    argv: Sequence[str],
    *,
    env: Mapping[str, str],
    cwd: Path,
    output: int,
    stdin: int = subprocess.DEVNULL,
    fds: Sequence[int] = (),
    outside: bool = False,
) -> subprocess.Popen[bytes]:
    """Start `argv`, without a shell, in its own session, with these open files. `outside`: of the worker's own mount
    namespace."""

    def fork() -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            argv, env=dict(env), cwd=cwd, stdin=stdin, stdout=output, stderr=subprocess.STDOUT, start_new_session=True,
            pass_fds=fds,
        )  # fmt: skip

    try:
        return (_forker_outside if outside else _forker)().submit(fork).result()
    except OSError as error:
        raise SandboxError(f"{argv[0]} could not be started: {reason(error)}.", "Nothing was changed.") from error


def ask(argv: Sequence[str], user: User, fence: Fence, env: Mapping[str, str], limit_s: float) -> Answer:
    """Run a program of a build to its end. After `limit_s` its whole session is killed."""
    status, said = _heard([*through_door(user, fence, env), *argv], Path("/"), limit_s, MOST_BYTES)
    return Answer(status, said.decode(errors="replace"))


def run(argv: Sequence[str | Path], user: User, *, cwd: Path, limit_s: float, most_bytes: int = MOST_BYTES) -> bytes:
    """The output of a program of this machine, run as that user. SandboxError: it failed.

    `cwd` is entered before the user changes: it may be a folder that is closed to the user."""
    status, said = _heard([*user.setpriv, *map(str, argv)], cwd, limit_s, most_bytes)
    if status != 0:
        ended = f"it did not end within {limit_s:g} s, or printed too much" if status is None else f"status {status}"
        why = said.decode(errors="replace").strip()[-500:] or ended
        raise SandboxError(f"{argv[0]} failed for the user {user.name}: {why}.", "The later steps were not done.")
    return said


def _heard(argv: Sequence[str], cwd: Path, limit_s: float, most_bytes: int) -> tuple[int | None, bytes]:
    """Exit status, None: it was ended; and the output."""
    ours, theirs = os.pipe2(os.O_CLOEXEC)
    try:
        child = spawn(argv, env=SYSTEM, cwd=cwd, output=theirs)
    except BaseException:
        os.close(ours)
        raise
    finally:
        os.close(theirs)
    try:
        deadline = time.monotonic() + limit_s
        said, whole = _read(ours, deadline, most_bytes)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(max(POLL_S, deadline - time.monotonic()) if whole else 0)
    finally:
        os.close(ours)
        ended = child.poll() is not None
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
    return (child.returncode if whole and ended else None), said


def _read(pipe: int, deadline: float, most_bytes: int) -> tuple[bytes, bool]:
    """The output, and whether it is complete."""
    said = b""
    while (left := deadline - time.monotonic()) > 0 and len(said) <= most_bytes:
        if select.select([pipe], [], [], min(left, POLL_S))[0]:
            piece = os.read(pipe, 1 << 16)
            if not piece:
                return said, True
            said += piece
    return said[:most_bytes], False


def start_time(pid: int) -> int | None:
    """Start of the process in clock ticks since boot; None: there is none. With the pid it is unique until the next
    boot (field 22 of /proc/PID/stat, proc(5))."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return None
    state, *rest = stat.rpartition(")")[2].split()  # the command's name may hold spaces and brackets
    return None if state in "ZX" else int(rest[18])


def at_rest(pid: int, also: str = "D") -> bool:
    """After a SIGSTOP: whether no thread of the process can run its code.

    One stopped thread proves that the signal reached them all. A thread that waits in the kernel for a disk (D) stops
    before it returns to its code. With `also` empty, no call of it is under way in the kernel either.
    """
    states = _thread_states(pid)
    return "T" in states and states <= {*"TZX", *also}


def _thread_states(pid: int) -> set[str]:
    states = set()
    for thread in Path(f"/proc/{pid}/task").glob("*/stat"):
        with contextlib.suppress(OSError):  # the thread has ended
            states.add(thread.read_text(errors="replace").rpartition(")")[2].split()[0])
    return states


@functools.cache
def _forker() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="forker")


@functools.cache
def _forker_outside() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="forker outside")


_earlier: list[ThreadPoolExecutor] = []  # their children would end with the thread that forked them


def keep_one_outside() -> None:
    """To be called before this process enters a mount namespace of its own: a thread stays in the present one. That
    which forks all other children begins anew."""
    _forker_outside().submit(os.getpid).result()
    _earlier.append(_forker())
    _forker.cache_clear()


os.register_at_fork(after_in_child=_forker.cache_clear)  # threads do not survive a fork
os.register_at_fork(after_in_child=_forker_outside.cache_clear)
