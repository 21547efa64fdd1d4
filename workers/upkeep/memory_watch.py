"""A worker that comes near the limit of its memory ends one experiment, before the kernel kills a process of its
choice.

It ends the experiment that began last: the others had their memory before it came. If that was not enough, the next one
follows when the first has ended, or hangs."""

import logging
from collections.abc import Callable

from workers.host import memory
from workers.host.memory import MemoryUse
from workers.upkeep import conducting_now

NEAR = 0.9
LOOK_EVERY_S = 2.0
GIB = 2**30
log = logging.getLogger(__name__)


def look(use: Callable[[], MemoryUse | None] = memory.use) -> None:
    found = use()
    if found is None or found.share < NEAR:
        return
    used, limit = found.used_bytes / GIB, found.limit_bytes / GIB
    who = f"The worker and others in the control group {found.above}" if found.above else "The worker"
    whose = "this group" if found.above else "its unit or container"
    why = (
        f"{who} used {used:.1f} GiB of memory; the limit of {whose} is {limit:.1f} GiB. The worker ended the "
        "experiment that began last."
    )
    if (ended := conducting_now.end_newest(why)) is not None:
        log.warning("experiment %s is ended: %s", ended, why)
