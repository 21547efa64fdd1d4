"""Which experiments this process conducts right now: each at most once at a time, however often it is rung for."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

_now: set[int] = set()
_lock = threading.Lock()


@contextmanager
def once(experiment_id: int) -> Iterator[bool]:
    """Whether it is not conducted here yet. A thread that lost its experiment while the process was stopped may still
    be putting its own things away: until then the same process does not begin it again."""
    with _lock:
        is_first = experiment_id not in _now
        _now.add(experiment_id)
    try:
        yield is_first
    finally:
        if is_first:
            _now.discard(experiment_id)


def experiments() -> frozenset[int]:
    with _lock:
        return frozenset(_now)
