"""A trial's time line."""

import time

from workers.crash.trial import Step


class Timeline:
    """Each step begins where the one before ends."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._marks: list[tuple[str, float]] = []

    @property
    def now(self) -> str:
        """The step that goes on."""
        return self._marks[-1][0] if self._marks else "prepare"

    def step(self, name: str) -> None:
        self._marks.append((name, time.monotonic() - self._began))

    def steps(self) -> tuple[Step, ...]:
        """None of a trial that broke before the first."""
        ends = [at for _, at in self._marks[1:]] + [time.monotonic() - self._began]
        return tuple(
            Step(name, round(at, 4), round(end - at, 4)) for (name, at), end in zip(self._marks, ends, strict=False)
        )
