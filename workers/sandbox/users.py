"""The user who runs sandboxes, and owns nothing else."""

import contextlib
import grp
import os
import pwd
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from workers.errors import SandboxError
from workers.sandbox import door

DEFAULT = "durascope-sandbox"
NAMED_BY = "DURASCOPE_SANDBOX_USER"
PROJECT = Path(__file__).resolve().parents[2]
NOBODY = 65534  # runs other services, whose files it may read
# No distribution gives these to anybody: https://systemd.io/UIDS-GIDS. The second range is for a user namespace that
# knows 65536 users.
UNUSED = (range(1_900_000_000, 1_900_001_000), range(60_578, 61_184))
RANGE = re.compile(r"^[^:#]+:(\d+):(\d+)$", re.MULTILINE)
RANGES_OF_OTHERS = (Path("/etc/subuid"), Path("/etc/subgid"))  # for containers


@dataclass(frozen=True)
class User:
    """The user of a sandbox. `switch`: False when the worker already runs as this user."""

    name: str
    uid: int
    gid: int
    switch: bool

    @property
    def setpriv(self) -> list[str]:
        """The command prefix that becomes this user and ends with the worker."""
        become = [f"--reuid={self.uid}", f"--regid={self.gid}", "--clear-groups"] if self.switch else []
        return ["setpriv", *become, "--no-new-privs", "--pdeathsig=KILL", "--"]

    def own(self, fd: int) -> None:
        """Give an open file to this user: nobody can replace a descriptor by a link."""
        if self.switch:
            os.fchown(fd, self.uid, self.gid)

    def folder(self, path: Path) -> Path:
        """Make a folder of this user, which nobody else may enter. The folder above must be ours."""
        path.mkdir(mode=0o700)
        if self.switch:
            os.chown(path, self.uid, self.gid, follow_symlinks=False)
        return path


def unprivileged_user(name: str = "") -> User:
    """The user of servers: the worker's own, or, for root, `name`, else the environment's, else durascope-sandbox, else
    an unused number. SandboxError: that user cannot run sandboxes."""
    if os.geteuid() != 0:
        return User(_name_of(os.geteuid()), os.geteuid(), os.getegid(), switch=False)
    named = name or os.environ.get(NAMED_BY, "")
    try:
        entry = pwd.getpwnam(named or DEFAULT)
    except KeyError:
        unused = _unused()
        if named in ("", unused.name):  # a copy of a sandbox is made by the name of its user
            return unused
        raise SandboxError(f"There is no user {named} on this machine.", f"Make it: {HOW.format(named)}") from None
    if entry.pw_uid in (0, NOBODY) or entry.pw_name == "nobody":
        raise SandboxError(
            f"Sandboxes must not run as {entry.pw_name}: this account has other tasks.",
            f"Name a user that only sandboxes use. Make it: {HOW.format(DEFAULT)}",
        )
    if owned := _of_the_worker(entry.pw_uid):
        raise SandboxError(
            f"Sandboxes must not run as {entry.pw_name}: this user owns {owned}, which no server may change.",
            f"Nothing was started. Name a user that only sandboxes use. Make it: {HOW.format(DEFAULT)}",
        )
    return User(entry.pw_name, entry.pw_uid, entry.pw_gid, switch=True)


def _of_the_worker(uid: int) -> Path | None:
    """A file of the program, or of the installation's home, that this user owns."""
    home = Path(os.environ.get("DURASCOPE_HOME") or PROJECT / ".durascope")
    within = sorted(home.iterdir()) if home.is_dir() else []
    for path in (PROJECT, Path(__file__), home, *within):
        with contextlib.suppress(FileNotFoundError):  # the database has removed a journal
            if path.lstat().st_uid == uid:
                return path
    return None


HOW = "useradd --system --no-create-home --shell /usr/sbin/nologin {}"


def not_apart() -> str:
    """What a sandbox can reach here, or why there can be none, and what to do; "": sandboxes have their own user."""
    if os.geteuid() == 0:
        try:
            unprivileged_user()
        except SandboxError as none:
            return str(none)
        return ""
    if door.landlock():
        return (
            "Sandboxes run as the worker's own user, since only root can give them another one. The kernel (Landlock) "
            "keeps their servers out of all files but their own. It does not keep them from the unix sockets of that "
            "user: a private Redis, or a PostgreSQL that knows the user by name. A worker that runs as root has both "
            "protections."
        )
    return (
        "Sandboxes run as the worker's own user, and this kernel has no Landlock: a server can read and change every "
        "file of the worker. Run the worker as root, or on Linux 5.19 or newer, unless you trust every build."
    )


def _name_of(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"uid-{uid}"


def _unused() -> User:
    for uid in (uid for numbers in UNUSED for uid in numbers):
        if not _known(uid) and _mapped(uid):
            return User(f"uid-{uid}", uid, uid, switch=True)
    raise SandboxError("No user id is free for sandboxes on this machine.", f"Make a user: {HOW.format(DEFAULT)}")


def _known(number: int) -> bool:
    """Whether a user or a group has this number, or may map it."""
    for look_up in (pwd.getpwuid, grp.getgrgid):
        try:
            look_up(number)
        except KeyError:
            continue
        return True
    return any(first <= number < first + count for first, count in _lent())


def _lent() -> Iterator[tuple[int, int]]:
    for file in RANGES_OF_OTHERS:
        text = file.read_text(errors="replace") if file.is_file() else ""
        yield from ((int(first), int(count)) for first, count in RANGE.findall(text))


def _mapped(uid: int) -> bool:
    """Whether the user namespace maps it, which a container may not."""
    lines = (map(int, line.split()) for line in Path("/proc/self/uid_map").read_text().splitlines())
    return any(first <= uid < first + count for first, _, count in lines)
