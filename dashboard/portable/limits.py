"""Limits of the process that reads a file."""

import contextlib
import os
import resource
from pathlib import Path

MEMORY_BYTES = 1 << 30  # beside the program itself; the largest possible experiment needs a third
CPU_S = 300
WALL_S = 600
NICE = 10  # pages come first


def keep() -> None:
    """Limit this process from now on. Python raises MemoryError; the kernel ends a process that takes too long."""
    data = MEMORY_BYTES + _data_bytes()
    resource.setrlimit(resource.RLIMIT_DATA, (data, data))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(PermissionError):  # the service's system-call filter leaves the priority as it is
        os.nice(NICE)


def _data_bytes() -> int:
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) << 10 for line in status.splitlines() if line.startswith("VmData:"))
