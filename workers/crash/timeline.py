"""The timeline of a trial."""

import time
from collections.abc import Callable

from workers.crash.setup_and_result import TrialStep
from workers.errors import Cancelled


class Timeline:
    """Each step begins when the one before ends. After a cancellation a new step raises Cancelled."""

    def __init__(
        self, tell: Callable[[str], None], cancelled: Callable[[], bool], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._tell, self._cancelled, self._clock = tell, cancelled, clock
        self._began = clock()
        self._begun: list[tuple[str, float]] = []

    @property
    def now(self) -> str:
        """The present step."""
        return self._begun[-1][0] if self._begun else "prepare"

    def step(self, name: str) -> None:
        self.must_go_on()
        self._begun.append((name, self._clock() - self._began))
        self._tell(name)

    def must_go_on(self) -> None:
        if self._cancelled():
            raise Cancelled("Cancelled during a crash trial.")

    def steps(self) -> tuple[TrialStep, ...]:
        """Empty for a trial that failed before its first step."""
        ends = [at for _, at in self._begun[1:]] + [self._clock() - self._began]
        return tuple(
            TrialStep(name, round(at, 4), round(end - at, 4))
            for (name, at), end in zip(self._begun, ends, strict=False)
        )
