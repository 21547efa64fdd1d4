"""Something that arrives later, in the order in which it was sent."""

import math
import time
from collections import deque
from collections.abc import Callable

Arrive = Callable[[bytes], None]


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
