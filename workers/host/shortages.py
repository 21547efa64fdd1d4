"""Errors of the worker's own host (full disk, no descriptors, no memory) as messages. Any call can raise them."""

import errno

from workers.errors import DurascopeError

KEPT = "The measurements are kept."
LACKS = {
    errno.ENOSPC: ("A disk of the worker's host is full", "Free some space there, then resume."),
    errno.EDQUOT: ("The worker has used up its share of a disk", "Free some space there, then resume."),
    errno.EMFILE: ("The worker has no file descriptor left", "Raise its limit (LimitNOFILE, ulimit -n), then resume."),
    errno.ENFILE: ("The worker's host has no file descriptor left", "End programs that hold many, then resume."),
    errno.ENOMEM: ("The worker's host has no memory left", "End programs that hold much, then resume."),
    errno.EAGAIN: ("The worker could not start a process or thread", "Raise its limit (TasksMax), then resume."),
    errno.EIO: ("A disk of the worker's host failed", "Look at the kernel's log (dmesg) before you resume."),
}


def message(failure: OSError) -> DurascopeError:
    """What the host lacks, where, and what to do."""
    where = f" ({failure.filename})" if failure.filename else ""
    if failure.errno in LACKS:
        lacks, fix = LACKS[failure.errno]
        return DurascopeError(f"{lacks}{where}.", f"{KEPT} {fix}")
    why = failure.strerror or str(failure) or type(failure).__name__
    return DurascopeError(f"The worker's host refused: {why}{where}.", f"{KEPT} See the worker's log.")
