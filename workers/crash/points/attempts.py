"""Tries all chosen states, in as many lanes as the host has processors for."""

import os
import secrets
import threading
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from workers.crash.points.lane import Lane
from workers.crash.points.recorded import Recorded
from workers.crash.points.story import TriedState
from workers.sandbox.disk.recording.points import Choice
from workers.sandbox.disk.recording.states import States

MOST_LANES = 2


def lanes(load: Recorded, states: States) -> tuple[Lane, ...]:
    """Each with a disk and a stopped server of its own."""
    return tuple(_lane(load, states) for _ in range(min(MOST_LANES, len(os.sched_getaffinity(0)))))


def _lane(load: Recorded, states: States) -> Lane:
    folder = load.setup.root.absolute() / "live" / f"disk-{secrets.token_hex(4)}"
    disk = load.made.enter_context(load.ports.replay(folder, load.recording))
    load.made.killed_by(disk.give_way)
    server = load.made.enter_context(load.scene.sandbox.twin(disk.mnt))
    load.made.killed_by(server.kill)
    load.made.callback(disk.give_way)  # before the server is killed
    return Lane(load, states, disk, server)


def attempt_all(load: Recorded, ready: Sequence[Lane], choices: Sequence[Choice]) -> tuple[TriedState, ...]:
    """In the order of their moments. The error of one lane ends the others."""
    left, found = _Left(choices), list[TriedState]()

    def work(lane: Lane) -> None:
        try:
            for choice in left:
                load.timeline.tell(f"{len(found):,} of {len(choices):,} crash points")
                found.append(lane.attempt(choice))
        except BaseException:
            left.end()
            raise

    with ThreadPoolExecutor(len(ready), "lane") as pool:
        try:
            for done in [pool.submit(work, lane) for lane in ready]:
                done.result()
        finally:
            left.end()
    return tuple(sorted(found, key=lambda state: (state.at_s, state.moment, state.keeps)))


class _Left:
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
