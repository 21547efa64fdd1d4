"""The experiments that this process conducts now. It conducts each at most once at a time, however many tasks come. It
can also be asked to end one."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

ENDS_WITHIN_S = 60.0  # one that takes longer hangs, and the next is asked
_now: dict[int, tuple[str, float]] = {}  # in the order in which they began
NEED_NOT = ("", 0.0)  # else: why it must end, and since when (monotonic)
_lock = threading.Lock()


@contextmanager
def once(experiment_id: int) -> Iterator[bool]:
    """Yields whether this process may begin the experiment. A thread that lost its experiment may still be cleaning up:
    until it is done, the same process does not begin the experiment again."""
    with _lock:
        is_first = experiment_id not in _now
        _now.setdefault(experiment_id, NEED_NOT)
    try:
        yield is_first
    finally:
        if is_first:
            with _lock:
                del _now[experiment_id]


def experiments() -> frozenset[int]:
    with _lock:
        return frozenset(_now)


def end_newest(why: str) -> int | None:
    """Ask the experiment that began last to end; None if there is none, or if one is ending, but does not hang."""
    with _lock:
        now_s = time.monotonic()
        others = [number for number, asked in _now.items() if asked == NEED_NOT]
        if not others or any(said and now_s - since_s < ENDS_WITHIN_S for said, since_s in _now.values()):
            return None
        _now[others[-1]] = (why, now_s)
        return others[-1]


def must_end(experiment_id: int) -> str:
    """Why; "" if it need not end."""
    return _now.get(experiment_id, NEED_NOT)[0]
