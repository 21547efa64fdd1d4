"""Tries all chosen states, each in one of the lanes."""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from math import inf
from time import monotonic
from typing import Generic, TypeVar

from workers.crash.points.lane import Lane
from workers.crash.setup_and_result import Timeline

TELL_S = 0.5
Choice = TypeVar("Choice")
Tried = TypeVar("Tried")


def attempt_all(
    timeline: Timeline,
    ready: Sequence[Lane],
    choices: Sequence[Choice],
    attempt: Callable[[Lane, Choice], Tried],
    limit_s: float = inf,
) -> list[Tried]:
    """In no order; only the first choices if `limit_s` is over before all are begun. The error of one lane ends the
    others. Progress is told by the calling thread alone: it may be stored in a database. Raises Cancelled, also when
    the last states were tried: their servers may have been killed."""
    left, found = _Left(choices, monotonic() + limit_s), list[Tried]()

    def work(lane: Lane) -> None:
        found.extend(attempt(lane, choice) for choice in left)

    with ThreadPoolExecutor(len(ready), "lane") as pool:
        working = [pool.submit(work, lane) for lane in ready]
        try:
            while not _is_over(working):
                timeline.tell(f"{left.begun:,} of {len(choices):,} crash points")
        finally:
            left.end()
    for one in working:
        one.result()
    timeline.must_go_on()
    return found


def _is_over(working: Sequence[Future[None]]) -> bool:
    """After a while, or at once when all have ended or one has failed."""
    done, waiting = wait(working, TELL_S, FIRST_EXCEPTION)
    return not waiting or any(one.exception() for one in done)


class _Left(Generic[Choice]):
    """Choices, each given to one lane. After `until` none is given, but the first one always."""

    def __init__(self, choices: Iterable[Choice], until: float) -> None:
        self._choices, self._lock, self._over, self._until = iter(choices), threading.Lock(), False, until
        self.begun = 0

    def __iter__(self) -> Iterator[Choice]:
        while (choice := self._next()) is not None:
            yield choice

    def end(self) -> None:
        self._over = True

    def _next(self) -> Choice | None:
        with self._lock:
            over = self._over or (self.begun and monotonic() > self._until)
            choice = None if over else next(self._choices, None)
            self.begun += choice is not None
            return choice
