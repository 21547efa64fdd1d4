"""The experiments that this process conducts now. It conducts each at most once at a time, however many tasks come. It
can also be asked to end one."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

_now: dict[int, str] = {}  # in the order in which they began; the value says why one must end, "" if it need not
_lock = threading.Lock()


@contextmanager
def once(experiment_id: int) -> Iterator[bool]:
    """Yields whether this process may begin the experiment. A thread that lost its experiment may still be cleaning up:
    until it is done, the same process does not begin the experiment again."""
    with _lock:
        is_first = experiment_id not in _now
        _now.setdefault(experiment_id, "")
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
    """Ask the experiment that began last to end; None if there is none, or if one is ending already."""
    with _lock:
        if not _now or any(_now.values()):
            return None
        newest = list(_now)[-1]
        _now[newest] = why
        return newest


def must_end(experiment_id: int) -> str:
    """Why; "" if it need not end."""
    return _now.get(experiment_id, "")
