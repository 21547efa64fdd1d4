"""A process that serves a disk must not wait for that disk. When memory is short, the kernel writes back a disk's data
before it gives memory to a process. If that process serves the disk, both wait for ever (prctl(2))."""

import ctypes
import errno

PR_SET_IO_FLUSHER = 57  # Linux 5.6
RISK = "When memory is short, a simulated disk can hang and block other programs of this host, because "
REMEDY = "Keep memory free, or give the worker that capability. In a container, add SYS_RESOURCE."


def be_io_flusher(on: bool = True) -> int:
    """The calling thread never waits for such a write. 0, or why not: a number of errno."""
    libc = ctypes.CDLL(None, use_errno=True)
    return ctypes.get_errno() if libc.prctl(PR_SET_IO_FLUSHER, ctypes.c_ulong(on), 0, 0, 0) else 0


def risk() -> str:
    """What may happen to simulated disks here, and what to do; "" where nothing may. It is tried in this thread."""
    refused = be_io_flusher()
    if not refused:
        be_io_flusher(on=False)
        return ""
    if refused == errno.EPERM:
        return f"{RISK}the worker has no CAP_SYS_RESOURCE. {REMEDY}"
    return f"{RISK}this kernel has no PR_SET_IO_FLUSHER. Keep memory free, or take Linux 5.6 or newer."
