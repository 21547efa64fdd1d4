"""Waiting until something is so."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def until(is_so: Callable[[], T], limit_s: float, every_s: float, meanwhile: Callable[[], object] = lambda: None) -> T:
    """The last answer of `is_so`: it is false if the time is up. What `meanwhile` raises ends the waiting."""
    deadline = time.monotonic() + limit_s
    while not (found := is_so()):
        meanwhile()
        if time.monotonic() >= deadline:
            break
        time.sleep(every_s)
    return found
