"""Runs the steps of a trial, one state after the other, and removes everything that they made."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Protocol, TypeVar

from workers.crash.made import Made
from workers.crash.setup_and_result import Timeline, TrialEnd
from workers.crash.verdict import incomplete
from workers.errors import Cancelled, reason

End = TypeVar("End", bound=TrialEnd, covariant=True)


class State(Protocol[End]):
    """A state of a chain: of a crash trial or of a failover trial."""

    @property
    def made(self) -> Made: ...
    @property
    def timeline(self) -> Timeline: ...
    def so_far(self) -> End: ...


def to_the_end(
    begun: State[End],
    steps: Callable[[], Iterator[State[End]]],
    cancelled: Callable[[], bool],
    raises: type[Exception] | tuple[()] = (),
) -> End:
    """The result of the last state. Raises Cancelled within two seconds, and errors of the kind `raises`. After any
    other error the verdict is unknown, unless a violation had been found; the result names the step."""
    try:
        result = _result(begun, steps, cancelled, raises)
    finally:
        left = begun.made.tidied()
    return replace(result, notes={**result.notes, **left}) if left else result


def _result(
    begun: State[End],
    steps: Callable[[], Iterator[State[End]]],
    cancelled: Callable[[], bool],
    raises: type[Exception] | tuple[()],
) -> End:
    reached = begun
    try:
        with begun.made.killed_when(cancelled):
            for value in steps():
                reached = value
        return reached.so_far()
    except raises:
        raise
    except Exception as failure:  # a trial that fails is never valid
        if cancelled():
            raise Cancelled("Cancelled during a trial.") from failure
        known = reached.so_far()
        return replace(known, verdict=incomplete(known.verdict), failed_at=begun.timeline.now, error=reason(failure))
