"""Counters that are read at both ends of a run, and once a second in between."""

import time
from collections import defaultdict
from collections.abc import Callable, Mapping

from workers.metrics.source import Figure, FsyncLatency, Reading, counted_anew

Counts = Mapping[str, int]


class Window:
    """A Session over counters that only grow.

    `read` returns the counters; `figures` makes figures from two readings; `latencies` likewise, over the whole window
    only. A server that was restarted inside the window has lost its counters: `end` raises.
    """

    def __init__(
        self,
        read: Callable[[], Counts],
        figures: Callable[[Counts, Counts], tuple[Figure, ...]],
        latencies: Callable[[Counts, Counts], tuple[FsyncLatency, ...]] = lambda before, after: (),
    ) -> None:
        self._read, self._figures, self._latencies = read, figures, latencies
        self._ticks = 0
        self._rates: dict[str, list[float]] = defaultdict(list)

    def begin(self) -> None:
        self._before = self._last = self._read()
        self._last_s = time.monotonic()

    def tick(self) -> None:
        now, now_s = self._read(), time.monotonic()
        for figure in self._figures(self._last, now):
            self._rates[figure.name].append(figure.value / max(now_s - self._last_s, 1e-9))
        self._last, self._last_s = now, now_s
        self._ticks += 1

    def end(self) -> Reading:
        after = self._read()
        if any(after.get(name, 0) < count for name, count in self._before.items()):
            raise counted_anew()
        figures = self._figures(self._before, after)
        whole = {f.name: tuple(self._rates[f.name]) for f in figures if len(self._rates[f.name]) == self._ticks > 0}
        return Reading(figures, self._latencies(self._before, after), whole)
