"""The loop of a process that forwards: descriptors, delay lines, and the worker's commands.

It waits in epoll, which is the cheapest way to wait. epoll counts in milliseconds, so while something is under way
select waits for epoll: it counts in microseconds.
"""

import math
import os
import select
import sys
import time
from collections import deque
from collections.abc import Callable, Mapping

from workers.host.punctual import be_punctual
from workers.sandbox import door

COMMANDS_FD, ANSWERS_FD = 0, 1
MOST_BYTES = 4096  # of a command
IN, OUT = select.EPOLLIN, select.EPOLLOUT

Arrive = Callable[[bytes], None]
Ready = Callable[[int], None]
Command = Callable[..., tuple[int, ...] | None]


class DelayLine:
    """What is put in arrives `delay_s` later. A held line keeps everything. Nothing overtakes, also after the delay was
    made shorter."""

    def __init__(self, delay_s: float = 0.0) -> None:
        self.delay_s, self.held = delay_s, False
        self._waiting: deque[tuple[float, Arrive, bytes]] = deque()

    @property
    def passes_at_once(self) -> bool:
        return not (self.delay_s or self._waiting or self.held)

    def put(self, arrive: Arrive, data: bytes = b"") -> None:
        if self.passes_at_once:
            arrive(data)
            return
        due = time.monotonic() + self.delay_s
        self._waiting.append((max(due, self._waiting[-1][0]) if self._waiting else due, arrive, data))

    @property
    def due(self) -> float:
        """When the next arrives (time.monotonic); infinite: there is none, or the line is held."""
        return math.inf if self.held or not self._waiting else self._waiting[0][0]

    def deliver(self) -> None:
        """Everything that is due."""
        now = time.monotonic()
        while self.due <= now:
            _, arrive, data = self._waiting.popleft()
            arrive(data)

    def lose(self) -> None:
        """Everything that is under way."""
        self._waiting.clear()


class Loop:
    """`lines`: delay lines whose content is delivered on time."""

    def __init__(self) -> None:
        self.lines: list[DelayLine] = []
        self._epoll = select.epoll()
        self._watched: dict[int, tuple[int, Ready]] = {}

    def watch(self, fd: int, events: int, ready: Ready) -> None:
        """Call `ready(events)` while one of these events is there. No events: the descriptor is forgotten, and must be
        before it is closed."""
        known = self._watched.get(fd)
        if not events:
            if known:
                del self._watched[fd]
                self._epoll.unregister(fd)
            return
        self._watched[fd] = events, ready
        if not known:
            self._epoll.register(fd, events)
        elif known[0] != events:
            self._epoll.modify(fd, events)

    def step(self) -> None:
        for fd, events in self._wait():
            if watched := self._watched.get(fd):  # else an earlier one has just closed it
                watched[1](events)
        for line in self.lines:
            line.deliver()

    def _wait(self) -> list[tuple[int, int]]:
        due = min((line.due for line in self.lines), default=math.inf)
        if due == math.inf:
            return self._epoll.poll()
        select.select((self._epoll,), (), (), max(0.0, due - time.monotonic()))
        return self._epoll.poll(0)


def serve(loop: Loop, commands: Mapping[str, Command], uid: int, gid: int, parent: int) -> None:
    """Obey the worker until it goes away. From here on this process opens no file, has no rights, and is that user (-1:
    it stays the one it is)."""
    be_punctual()
    door.close_files((), ())
    door.become(uid, gid)
    door.end_with(parent)
    control = _CommandPipe(commands)
    os.set_blocking(COMMANDS_FD, False)
    loop.watch(COMMANDS_FD, IN, control.ready)
    while True:
        loop.step()


class _CommandPipe:
    """A line is a command's name and its numbers. The answer is `ok` and numbers, or `no` and a reason."""

    def __init__(self, commands: Mapping[str, Command]) -> None:
        self._commands, self._begun = commands, b""

    def ready(self, _: int) -> None:
        said = os.read(COMMANDS_FD, MOST_BYTES)
        if not said or len(self._begun) > MOST_BYTES:
            sys.exit()
        *lines, self._begun = (self._begun + said).split(b"\n")
        for line in lines:
            os.write(ANSWERS_FD, self._answer(line.decode(errors="replace").split()).encode() + b"\n")

    def _answer(self, words: list[str]) -> str:
        try:
            name, *numbers = words
            return " ".join(["ok", *map(str, self._commands[name](*map(int, numbers)) or ())])
        except (LookupError, TypeError, ValueError, OSError) as error:
            return f"no: {type(error).__name__} {error}"
