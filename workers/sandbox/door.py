"""The door through which every program of a build is started: python door.py RULE... -- PROGRAM ARGUMENT...

Nobody knows what a build does. So the door enters its network, becomes the sandboxes' user, gives up all rights, closes
the file system but for the folders that it is told, and only then becomes the program. Until then nothing of the build
is loaded: not its libraries, and not its environment.

    net=PATH          enter this network namespace (only root can)
    uid=N gid=N       become this user (only root can; without them the user stays)
    parent=PID        end with this process
    read=PATH         the program may read and execute what lies below; a path that is not there is left out
    write=PATH        the program may also make, change and remove files and folders below
    env=NAME=VALUE    one variable of the program's environment, which holds no others

The file system is closed by Landlock (landlock(7), Linux 5.19 or newer), which asks for no privilege. Links, FIFOs and
devices cannot be made anywhere. A kernel without Landlock leaves the wall between the users alone.

It runs before anything is checked, so it imports nothing but small parts of the standard library.
"""

import _signal  # type: ignore[import-not-found]  # the public module takes long to load
import ctypes
import os
import resource
import sys
from collections.abc import Iterable, Sequence

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # system calls, the same on every machine
VERSION_OF = 1  # flag of CREATE_RULESET
LEAST_VERSION = 2  # before it, no file can be moved from one folder to another
CLONE_NEWNET = 0x40000000
PR_SET_PDEATHSIG, PR_SET_NO_NEW_PRIVS = 1, 38

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR, REMOVE_DIR, REMOVE_FILE = (1 << bit for bit in range(6))
MAKE_CHAR, MAKE_DIR, MAKE_REG, MAKE_SOCK, MAKE_FIFO, MAKE_BLOCK, MAKE_SYM = (1 << bit for bit in range(6, 13))
REFER, TRUNCATE, IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
SINCE = {1: (1 << 13) - 1, 2: REFER, 3: TRUNCATE, 5: IOCTL_DEV}  # version: what it brought
OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV
READ = EXECUTE | READ_FILE | READ_DIR
WRITE = READ | WRITE_FILE | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG | MAKE_SOCK | REFER | TRUNCATE
SCOPED, SCOPED_SINCE = 0b11, 6  # no signals and no abstract sockets to processes outside

CANNOT_RUN = 126


class Rules(ctypes.Structure):
    """struct landlock_ruleset_attr"""

    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class Below(ctypes.Structure):
    """struct landlock_path_beneath_attr"""

    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


def landlock() -> int:
    """The version of the kernel's Landlock; 0: there is none that could be used."""
    found = _call(CREATE_RULESET, None, 0, VERSION_OF)
    return found if found >= LEAST_VERSION else 0


def main(words: Sequence[str]) -> None:
    end = words.index("--")
    rules, argv = [word.partition("=") for word in words[:end]], list(words[end + 1 :])

    def told(name: str) -> list[str]:
        return [value for key, _, value in rules if key == name]

    _prctl(PR_SET_NO_NEW_PRIVS, 1)
    for namespace in told("net"):
        _enter(namespace)
    close_files(told("read"), told("write"))
    become(*map(int, (*told("uid"), *told("gid"))))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    end_with(*map(int, told("parent")))
    for ignored in (_signal.SIGPIPE, _signal.SIGXFSZ):  # by Python, and what is ignored stays so
        _signal.signal(ignored, _signal.SIG_DFL)
    environment = dict(pair.split("=", 1) for pair in told("env"))
    try:
        os.execve(argv[0], argv, environment)  # noqa: S606 - that is what a door is for
    except OSError as error:
        _stay_out(f"{argv[0]} could not be started by user {os.geteuid()}: {error.strerror}")


def _enter(namespace: str) -> None:
    try:
        place = os.open(namespace, os.O_RDONLY | os.O_CLOEXEC)
        _must(ctypes.CDLL(None, use_errno=True).setns(place, CLONE_NEWNET))
        os.close(place)
    except OSError as error:
        _stay_out(f"The network namespace {namespace} could not be entered: {error.strerror}")


def _stay_out(why: str) -> None:
    print(why, file=sys.stderr, flush=True)
    os._exit(CANNOT_RUN)


def close_files(read: Iterable[str], write: Iterable[str]) -> None:
    """From now on nothing but these can be opened, by us and by all that we start."""
    version = landlock()
    if not version:
        return
    handled = sum(rights for since, rights in SINCE.items() if since <= version)
    scoped = SCOPED if version >= SCOPED_SINCE else 0
    size = ctypes.sizeof(Rules) if scoped else ctypes.sizeof(ctypes.c_uint64)
    ruleset = _must(_call(CREATE_RULESET, ctypes.byref(Rules(handled, 0, scoped)), size, 0))
    for paths, rights in ((read, READ), (write, WRITE)):
        for path in paths:
            _allow(ruleset, path, rights & handled)
    _must(_call(RESTRICT_SELF, ruleset, 0))
    os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    rights = rights if os.path.isdir(path) else rights & OF_FILES  # noqa: PTH112 - pathlib takes long to load
    _must(_call(ADD_RULE, ruleset, 1, ctypes.byref(Below(rights, place)), 0))
    os.close(place)


def become(uid: int = -1, gid: int = -1) -> None:
    if uid < 0:
        return
    os.setgroups([])
    os.setresgid(gid, gid, gid)
    os.setresuid(uid, uid, uid)


def end_with(parent: int = 0) -> None:
    """The signal is set last: a change of the user clears it."""
    _prctl(PR_SET_PDEATHSIG, _signal.SIGKILL)
    if parent and os.getppid() != parent:
        os._exit(CANNOT_RUN)


def _prctl(what: int, value: int) -> None:
    _must(ctypes.CDLL(None, use_errno=True).prctl(what, ctypes.c_ulong(value), 0, 0, 0))


def _call(*arguments: object) -> int:
    status: int = ctypes.CDLL(None, use_errno=True).syscall(*arguments)
    return status


def _must(status: int) -> int:
    if status < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return status


if __name__ == "__main__":
    main(sys.argv[1:])
