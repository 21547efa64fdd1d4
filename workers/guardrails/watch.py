"""Reads gauges once a second beside the load, and decides when the load must stop."""

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress

from workers.errors import ServerError, reason
from workers.guardrails.limit import Gauge, Level, Sampled, Trip, WatchRecord

HOLDS = 2  # samples in a row beyond a limit: one spike stops nothing
EVERY_S = 1.0
BLIND_S = 5.0  # without a value for so long, the load stops
LONGEST_S = 7200  # of the stored values: the last two hours
ENDS_S = 0.5  # a gauge that waits for a silent server is left alone after this


class Watch:
    """`check` before the load, `start` and `stop` around it. The load asks for `trip` as often as it likes."""

    def __init__(
        self,
        gauges: Sequence[Gauge],
        unwatched: Sequence[str] = (),
        *,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._gauges, self._unwatched = tuple(gauges), tuple(unwatched)
        self._clock, self._now = clock, now
        self._rows: deque[tuple[float, tuple[float | None, ...]]] = deque(maxlen=LONGEST_S)
        self._beyond = dict.fromkeys(gauges, 0)
        self._known_s = dict.fromkeys(gauges, clock())
        self._failed: dict[Gauge, str] = {}
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="guardrails", daemon=True)
        self._trip: Trip | None = None

    @property
    def trip(self) -> Trip | None:
        """The first limit that was passed. A gauge that has told nothing for `BLIND_S` counts, also while it hangs."""
        if self._trip is None and not self._ended.is_set():
            late = (one for one in self._gauges if self._clock() - self._known_s[one] > BLIND_S)
            if gauge := next(late, None):
                why = self._failed.get(gauge, "the server does not answer")
                self._trip = Trip(gauge.limit, Level(unknown=why), self._now())
        return self._trip

    def check(self) -> None:
        """Raises ServerError, and the load must not begin, if a limit is passed already or a figure cannot be read."""
        for _ in range(HOLDS):
            self._ended.wait(EVERY_S)
            self.sample()
        trip = self._trip
        if trip is None and self._failed:
            gauge, why = next(iter(self._failed.items()))
            trip = Trip(gauge.limit, Level(unknown=why), self._now())
        if trip:
            raise ServerError(
                f"The load was not started: {trip.says}.",
                "Wait until the server is calmer, or change this limit under Guardrails in a new plan.",
            )

    def start(self) -> None:
        self._known_s = dict.fromkeys(self._gauges, self._clock())
        self._thread.start()

    def stop(self) -> WatchRecord:
        self._ended.set()
        if self._thread.ident is not None:
            self._thread.join(ENDS_S)
        for gauge in self._gauges:
            with suppress(Exception):
                gauge.close()
        return self.record

    @property
    def record(self) -> WatchRecord:
        rows = list(self._rows)
        sampled: Sampled = {"at_s": [at for at, _ in rows]}
        for place, gauge in enumerate(self._gauges):
            sampled[gauge.limit.key] = [values[place] for _, values in rows]
        return WatchRecord(tuple(gauge.limit for gauge in self._gauges), self._unwatched, sampled, self._trip)

    def sample(self) -> None:
        at = round(self._now(), 1)
        values = tuple(self._value(gauge) for gauge in self._gauges)
        self._rows.append((at, values))

    def _value(self, gauge: Gauge) -> float | None:
        try:
            level = gauge.read()
        except Exception as failure:  # whatever a server sends, the watch goes on until `BLIND_S`
            self._failed[gauge] = reason(failure)
            return None
        self._failed.pop(gauge, None)
        self._known_s[gauge] = self._clock()
        is_beyond = bool(level.unknown) or (level.value is not None and gauge.limit.is_passed_by(level.value))
        self._beyond[gauge] = self._beyond[gauge] + 1 if is_beyond else 0
        if self._beyond[gauge] >= HOLDS and self._trip is None:
            self._trip = Trip(gauge.limit, level, self._now())
        return None if level.value is None else round(level.value, 3)

    def _run(self) -> None:
        due = self._clock()
        while not self._ended.wait(max(0.0, due - self._clock())):
            self.sample()
            due = max(due + EVERY_S, self._clock())
