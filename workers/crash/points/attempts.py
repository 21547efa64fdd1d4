"""Tries all chosen states, each in one of the lanes."""

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from math import inf
from time import monotonic
from typing import Generic, TypeVar

from workers.crash.points.lane import Lane
from workers.crash.setup_and_result import Timeline
from workers.errors import reason

TELL_S = 0.5
MOST_FAILURES = 3  # in a row: then the disk of this lane is given up
Choice = TypeVar("Choice")
Tried = TypeVar("Tried")

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Attempts(Generic[Choice, Tried]):
    """`tried`: in no order. `untried`: all other choices, in their order. `unmade`: how many of these could not be
    made, and `why`: the reason of the first. `out_of_time`: the time was over before all were begun."""

    tried: list[Tried]
    untried: list[Choice]
    unmade: int
    why: str
    out_of_time: bool


def attempt_all(
    timeline: Timeline,
    ready: Sequence[Lane],
    choices: Sequence[Choice],
    attempt: Callable[[Lane, Choice], Tried],
    limit_s: float = inf,
) -> Attempts[Choice, Tried]:
    """Only the first choices if `limit_s` is over before all are begun. A choice that cannot be made is left out, and a
    lane that fails again and again ends: what the others find counts. Progress is told by the calling thread alone: it
    may be stored in a database. Raises Cancelled, also when the last states were tried: their servers may have been
    killed."""
    left, found, failed = _Left(len(choices), monotonic() + limit_s), dict[int, Tried](), dict[int, str]()

    def work(lane: Lane) -> None:
        in_a_row = 0
        for number in left:
            try:
                found[number], in_a_row = attempt(lane, choices[number]), 0
            except Exception as failure:  # whatever it is, other violations must not be lost with it
                log.info("a crash point could not be made", exc_info=True)
                failed[number], in_a_row = reason(failure), in_a_row + 1
                if in_a_row == MOST_FAILURES:
                    return

    with ThreadPoolExecutor(len(ready), "lane") as pool:
        working = [pool.submit(work, lane) for lane in ready]
        try:
            while wait(working, TELL_S).not_done:
                timeline.tell(f"{left.begun:,} of {len(choices):,} crash points")
        finally:
            left.end()
    timeline.must_go_on()
    return Attempts(
        tried=list(found.values()),
        untried=[choice for number, choice in enumerate(choices) if number not in found],
        unmade=len(failed),
        why=failed[min(failed)] if failed else "",
        out_of_time=left.out_of_time,
    )


class _Left:
    """Numbers of choices, each given to one lane. After `until` none is given, but the first one always."""

    def __init__(self, count: int, until: float) -> None:
        self._count, self._lock, self._over, self._until = count, threading.Lock(), False, until
        self.begun, self.out_of_time = 0, False

    def __iter__(self) -> Iterator[int]:
        while (number := self._next()) is not None:
            yield number

    def end(self) -> None:
        self._over = True

    def _next(self) -> int | None:
        with self._lock:
            if self._over or self.begun == self._count:
                return None
            if self.begun and monotonic() > self._until:
                self.out_of_time = True
                return None
            self.begun += 1
            return self.begun - 1
