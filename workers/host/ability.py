"""What this host allows the worker to do. Each check says why not, and what to do; "" when it can."""

import os
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from workers.errors import reason

CAP_NET_ADMIN, CAP_SYS_ADMIN = 12, 21  # capabilities(7)
# What a worker with sandboxes, simulated disks and networks does with each. tests/real/test_rights.py tries it without.
OF_A_CRASH_WORKER = {
    "CHOWN": (0, "to give files to the user of sandboxes"),
    "DAC_OVERRIDE": (1, "to read the files of that user"),
    "FOWNER": (3, "to link the socket of a sandbox's server"),
    "KILL": (5, "to end the processes of that user"),
    "SETGID": (6, "to become that user"),
    "SETUID": (7, "to become that user"),
    "NET_ADMIN": (CAP_NET_ADMIN, "to make networks"),
    "SYS_PTRACE": (19, "to enter the networks of sandboxes"),
    "SYS_ADMIN": (CAP_SYS_ADMIN, "to mount disks and make networks"),
    "SYS_NICE": (23, "for exact flush times of simulated disks on a busy host"),
    "MKNOD": (27, "to make loop devices in a container"),
}


def first_problem(checks: Iterable[Callable[[], str]]) -> str:
    """Checks after the first problem are not made."""
    if sys.platform != "linux":
        return "Simulated disks and networks need Linux."
    try:
        return next((why for check in checks if (why := check())), "")
    except OSError as error:
        return f"The host could not be examined: {reason(error)}."


def holds(*capabilities: int) -> bool:
    """Whether this process has all of them."""
    said = re.search(r"^CapEff:\s*(\w+)", Path("/proc/self/status").read_text(), re.MULTILINE)
    return said is not None and all(int(said[1], 16) >> one & 1 for one in capabilities)


def lacking() -> str:
    """The capabilities that this process lacks to be a crash worker, each with its use."""
    lacks = [f"CAP_{name} ({use})" for name, (number, use) in OF_A_CRASH_WORKER.items() if not holds(number)]
    return f"It lacks {', '.join(lacks)}." if lacks else ""


def why_not_opened(device: str) -> str:
    """Why the device cannot be read and written."""
    try:
        os.close(os.open(device, os.O_RDWR | os.O_CLOEXEC))
    except OSError as error:
        return f"{device}: {error.strerror}"
    return ""
