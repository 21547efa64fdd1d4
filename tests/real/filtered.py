"""UNIT WITHOUT COMMAND...: runs the command under the system-call filter of a systemd unit, as systemd itself would set
it, by libseccomp: SystemCallFilter= and RestrictNamespaces=. WITHOUT: a set or a kind of namespace to leave out ("" for
none), so that a test can see the filter at work."""

import ctypes
import errno
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

LIBRARY = "libseccomp.so.2"
ALLOW, REFUSE, UNKNOWN = 0x7FFF0000, 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS
EQUAL, MASKED_EQUAL = 4, 7
NAMESPACES = {
    "time": 0x80, "mnt": 0x20000, "cgroup": 0x2000000, "uts": 0x4000000, "ipc": 0x8000000, "user": 0x10000000,
    "pid": 0x20000000, "net": 0x40000000,
}  # CLONE_NEW... of namespaces(7)  # fmt: skip


class Comparison(ctypes.Structure):
    """struct scmp_arg_cmp."""

    _fields_: ClassVar = [
        ("argument", ctypes.c_uint), ("operator", ctypes.c_int), ("a", ctypes.c_uint64), ("b", ctypes.c_uint64)
    ]  # fmt: skip


def sets_of(unit: Path) -> list[str]:
    """What SystemCallFilter= allows. What is taken away again (~) would need more than this."""
    lines = [line for line in unit.read_text().splitlines() if line.startswith("SystemCallFilter=")]
    assert lines and "~" not in "".join(lines)
    return [name for line in lines for name in line.partition("=")[2].split()]


def calls(name: str) -> Iterator[str]:
    """The system calls of a set, of those inside of it too."""
    if not name.startswith("@"):
        yield name
        return
    argv = ["systemd-analyze", "syscall-filter", "--no-pager", name]
    told = subprocess.run(argv, check=True, capture_output=True, text=True).stdout
    for line in map(str.strip, told.splitlines()[1:]):
        if line and not line.startswith("#"):
            yield from calls(line)


def namespaces_of(unit: Path) -> set[str]:
    """Which ones RestrictNamespaces= allows."""
    (line,) = [line for line in unit.read_text().splitlines() if line.startswith("RestrictNamespaces=")]
    told = line.partition("=")[2]
    return set() if told == "yes" else set(told.split())


def load(names: set[str], kinds: set[str]) -> None:
    """With the rules for namespaces of systemd.exec(5): another kind is refused, clone3 is told to be unknown."""
    library = ctypes.CDLL(LIBRARY)
    library.seccomp_init.restype = ctypes.c_void_p
    library.seccomp_init.argtypes = [ctypes.c_uint32]
    library.seccomp_rule_add.argtypes = [ctypes.c_void_p, ctypes.c_uint32, ctypes.c_int, ctypes.c_uint]
    library.seccomp_load.argtypes = [ctypes.c_void_p]
    array = ctypes.POINTER(Comparison)
    library.seccomp_rule_add_array.argtypes = [ctypes.c_void_p, ctypes.c_uint32, ctypes.c_int, ctypes.c_uint, array]
    rules = library.seccomp_init(REFUSE)

    def add(name: str, action: int = ALLOW, *compare: Comparison) -> None:
        number = library.seccomp_syscall_resolve_name(name.encode())
        if number >= 0:
            compared = (Comparison * len(compare))(*compare)
            assert library.seccomp_rule_add_array(rules, action, number, len(compare), compared) == 0, name

    other = sum(flag for kind, flag in NAMESPACES.items() if kind not in kinds)
    for name in names - {"clone", "clone3", "setns", "unshare"}:
        add(name)
    add("clone3", UNKNOWN)
    for name in ("clone", "unshare"):
        add(name, ALLOW, Comparison(0, MASKED_EQUAL, other, 0))
    for kind in kinds:
        add("setns", ALLOW, Comparison(1, EQUAL, NAMESPACES[kind], 0))
    assert library.seccomp_load(rules) == 0


if __name__ == "__main__":
    unit, without, *command = sys.argv[1:]
    allowed = {call for name in ["@default", *sets_of(Path(unit))] for call in calls(name)}
    taken = set(calls(without)) if without and without not in NAMESPACES else set[str]()
    load(allowed - taken, namespaces_of(Path(unit)) - {without})
    os.execvp(command[0], command)
