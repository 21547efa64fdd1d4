"""The experiments that this process conducts now. It conducts each at most once at a time, however many tasks come."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

_now: set[int] = set()
_lock = threading.Lock()


@contextmanager
def once(experiment_id: int) -> Iterator[bool]:
    """Yields whether this process may begin the experiment. A thread that lost its experiment may still be cleaning up:
    until it is done, the same process does not begin the experiment again."""
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
