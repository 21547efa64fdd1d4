"""A worker that comes near the limit of its memory ends one experiment, before the kernel kills a process of its
choice.

It ends the experiment that began last: the others had their memory before it came. If that was not enough, the next one
follows when the first has ended."""

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
    why = (
        f"The worker used {used:.1f} GiB of memory; the limit of its unit or container is {limit:.1f} GiB. It ended "
        "the experiment that began last."
    )
    if (ended := conducting_now.end_newest(why)) is not None:
        log.warning("experiment %s is ended: %s", ended, why)
