"""Start programs as an unprivileged user, in such a way that they cannot outlive the worker.

The parent-death signal is sent when the *thread* that forked ends, not when the process does. A worker runs
its cells in threads that come and go, so all children are forked by one thread that lives as long as the
process. The signal is set by setpriv, after it has changed the user (the change would clear it).
"""

import contextlib
import functools
import os
import pwd
import subprocess
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from workers.errors import SandboxError

DEFAULT_USERS = ("durascope", "nobody")


@dataclass(frozen=True)
class User:
    """Who runs a sandbox. `switch` is False when that is who we are already."""

    name: str
    uid: int
    gid: int
    switch: bool

    @property
    def setpriv(self) -> list[str]:
        """The command prefix that becomes this user and dies with us."""
        become = [f"--reuid={self.uid}", f"--regid={self.gid}", "--clear-groups"] if self.switch else []
        return ["setpriv", *become, "--pdeathsig=KILL", "--"]

    def own(self, path: Path) -> None:
        if self.switch:
            os.chown(path, self.uid, self.gid)


def unprivileged_user(name: str = "") -> User:
    """The user that servers run as: ourselves, or, when we are root, `name`, else durascope, else nobody."""
    if os.geteuid() != 0:
        me = pwd.getpwuid(os.geteuid())
        return User(me.pw_name, me.pw_uid, me.pw_gid, switch=False)
    for candidate in (name,) if name else DEFAULT_USERS:
        try:
            entry = pwd.getpwnam(candidate)
        except KeyError:
            continue
        if entry.pw_uid == 0:
            raise SandboxError("A sandbox does not run as root.", "Name another user.")
        return User(entry.pw_name, entry.pw_uid, entry.pw_gid, switch=True)
    raise SandboxError(
        f"There is no user {name or 'durascope'} on this machine.", "Make it: useradd --system durascope"
    )


def start(
    argv: Sequence[str], user: User, *, env: Mapping[str, str], cwd: Path, output: Path, stdin: int = subprocess.DEVNULL
) -> subprocess.Popen:
    """Start `argv`, a list and never a shell, with only `env`; what it prints goes to the file `output`."""

    def fork() -> subprocess.Popen:
        with output.open("ab") as out:
            return subprocess.Popen(
                [*user.setpriv, *argv],
                env=dict(env),
                cwd=cwd,
                stdin=stdin,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    try:
        return _forker().submit(fork).result()
    except OSError as error:
        raise SandboxError(f"{argv[0]} could not be started: {error}.", "Nothing was changed.") from error


def start_time(pid: int) -> int | None:
    """When the process began, in clock ticks since boot; None: there is none. With the pid it is unique
    until the next boot (field 22 of /proc/PID/stat, proc(5))."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return None
    state, *rest = stat.rpartition(")")[2].split()  # the command's name may hold spaces and brackets
    return None if state in "ZX" else int(rest[18])


def at_rest(pid: int) -> bool:
    """After a SIGSTOP: whether no thread of the process can run any more of its own code.

    One stopped thread proves that the stop has reached them all. A thread that waits in the kernel for a disk (D) is
    stopped on its way back, before it can do or tell anything.
    """
    return "T" in _thread_states(pid) and _thread_states(pid) <= set("TDZX")


def _thread_states(pid: int) -> set[str]:
    states = set()
    for thread in Path(f"/proc/{pid}/task").glob("*/stat"):
        with contextlib.suppress(OSError):  # it has just ended
            states.add(thread.read_text(errors="replace").rpartition(")")[2].split()[0])
    return states


@functools.cache
def _forker() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="forker")


os.register_at_fork(after_in_child=_forker.cache_clear)  # threads do not survive a fork
