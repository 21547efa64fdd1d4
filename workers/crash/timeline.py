"""A trial's time line."""

import time
from collections.abc import Callable

from workers.crash.trial import TrialStep
from workers.errors import Cancelled


class Timeline:
    """Each step begins where the one before ends. None begins once somebody has cancelled: Cancelled is raised."""

    def __init__(
        self, tell: Callable[[str], None], cancelled: Callable[[], bool], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._tell, self._cancelled, self._clock = tell, cancelled, clock
        self._began = clock()
        self._begun: list[tuple[str, float]] = []

    @property
    def now(self) -> str:
        """The step that goes on."""
        return self._begun[-1][0] if self._begun else "prepare"

    def step(self, name: str) -> None:
        self.must_go_on()
        self._begun.append((name, self._clock() - self._began))
        self._tell(name)

    def must_go_on(self) -> None:
        if self._cancelled():
            raise Cancelled("Stopped in the middle of a crash trial.")

    def steps(self) -> tuple[TrialStep, ...]:
        """None of a trial that broke before the first."""
        ends = [at for _, at in self._begun[1:]] + [self._clock() - self._began]
        return tuple(
            TrialStep(name, round(at, 4), round(end - at, 4))
            for (name, at), end in zip(self._begun, ends, strict=False)
        )
