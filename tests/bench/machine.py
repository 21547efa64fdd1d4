"""How fast this machine is just now: a virtual processor may run at half of its speed for minutes."""

import statistics
import time

STEPS = 1_000_000


def reference_ms() -> float:
    """What a fixed loop takes: put beside a figure, it tells a slow page from a slow moment."""
    return statistics.median(_loop_ms() for _ in range(3))


def _loop_ms() -> float:
    began, total = time.perf_counter(), 0
    for number in range(STEPS):
        total += number * number % 7
    return 1000 * (time.perf_counter() - began)
