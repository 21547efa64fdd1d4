"""Limits that a process sets for itself."""

import resource
from pathlib import Path


def keep_limits(memory_bytes: int, cpu_s: int) -> None:
    """Limit this process from now on: the memory beside what it has now, and the processor. Python raises MemoryError;
    the kernel ends a process that takes too long. It leaves no core file, which would hold passwords."""
    status = Path("/proc/self/status").read_text()
    own = next(int(line.split()[1]) << 10 for line in status.splitlines() if line.startswith("VmData:"))
    for kind, most in (
        (resource.RLIMIT_DATA, memory_bytes + own),
        (resource.RLIMIT_CPU, cpu_s),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(kind)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (most, most))
