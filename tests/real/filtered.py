"""UNIT WITHOUT COMMAND...: runs the command under the system-call filter of a systemd unit, as systemd itself would set
it, by libseccomp. WITHOUT: a set to leave out ("" for none), so that a test can see the filter at work."""

import ctypes
import errno
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

LIBRARY = "libseccomp.so.2"
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | errno.EPERM


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


def load(names: set[str]) -> None:
    library = ctypes.CDLL(LIBRARY)
    library.seccomp_init.restype = ctypes.c_void_p
    library.seccomp_init.argtypes = [ctypes.c_uint32]
    library.seccomp_rule_add.argtypes = [ctypes.c_void_p, ctypes.c_uint32, ctypes.c_int, ctypes.c_uint]
    library.seccomp_load.argtypes = [ctypes.c_void_p]
    rules = library.seccomp_init(REFUSE)
    for name in names:
        number = library.seccomp_syscall_resolve_name(name.encode())
        if number >= 0:
            assert library.seccomp_rule_add(rules, ALLOW, number, 0) == 0, name
    assert library.seccomp_load(rules) == 0


if __name__ == "__main__":
    unit, without, *command = sys.argv[1:]
    allowed = {call for name in ["@default", *sets_of(Path(unit))] for call in calls(name)}
    load(allowed - set(calls(without) if without else ()))
    os.execvp(command[0], command)
