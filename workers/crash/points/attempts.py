"""Tries all chosen states, each in one of the lanes."""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, TypeVar

from workers.crash.points.lane import Lane
from workers.crash.setup_and_result import Timeline

Choice = TypeVar("Choice")
Tried = TypeVar("Tried")


def attempt_all(
    timeline: Timeline, ready: Sequence[Lane], choices: Sequence[Choice], attempt: Callable[[Lane, Choice], Tried]
) -> list[Tried]:
    """In no order. The error of one lane ends the others."""
    left, found = _Left(choices), list[Tried]()

    def work(lane: Lane) -> None:
        try:
            for choice in left:
                timeline.tell(f"{len(found):,} of {len(choices):,} crash points")
                found.append(attempt(lane, choice))
        except BaseException:
            left.end()
            raise

    with ThreadPoolExecutor(len(ready), "lane") as pool:
        try:
            for done in [pool.submit(work, lane) for lane in ready]:
                done.result()
        finally:
            left.end()
    return found


class _Left(Generic[Choice]):
    """Choices, each given to one lane."""

    def __init__(self, choices: Iterable[Choice]) -> None:
        self._choices, self._lock, self._over = iter(choices), threading.Lock(), False

    def __iter__(self) -> Iterator[Choice]:
        while (choice := self._next()) is not None:
            yield choice

    def end(self) -> None:
        self._over = True

    def _next(self) -> Choice | None:
        with self._lock:
            return None if self._over else next(self._choices, None)
