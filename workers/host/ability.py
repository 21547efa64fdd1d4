"""What this host allows the worker to do. Each check says why not, and what to do; "" when it can."""

import os
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from workers.errors import reason

CAP_NET_ADMIN, CAP_SYS_ADMIN = 12, 21  # capabilities(7)


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


def why_not_opened(device: str) -> str:
    """Why the device cannot be read and written."""
    try:
        os.close(os.open(device, os.O_RDWR | os.O_CLOEXEC))
    except OSError as error:
        return f"{device}: {error.strerror}"
    return ""
