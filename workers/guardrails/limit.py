"""A watched figure, its limit, and the values that a watch read of it."""

from dataclasses import dataclass, field
from typing import Protocol

Sampled = dict[str, list[float | None]]  # "at_s" and the keys of limits -> one value a second; None: not known


@dataclass(frozen=True)
class Limits:
    """The fields of the plan with these names. 0: not watched."""

    max_lag_s: float
    max_threads_running: float
    min_free_gb: float
    max_p99_ms: float

    @property
    def in_words(self) -> str:
        """What stops a run, as the end of a sentence."""
        said = (
            (self.max_lag_s, f"replica lag above {_amount(self.max_lag_s, 's')}"),
            (self.max_threads_running, f"more than {self.max_threads_running:,.0f} running threads of other clients"),
            (self.min_free_gb, f"less than {_amount(self.min_free_gb, 'GiB')} of free disk space"),
            (self.max_p99_ms, f"p99 of Durascope's own probe commits above {_amount(self.max_p99_ms, 'ms')}"),
        )
        watched = ", ".join(words for limit, words in said if limit)
        return f"stops at {watched}" if watched else "nothing is watched"


@dataclass(frozen=True)
class Limit:
    """`key` names the column of its values. `at_least`: smaller values are beyond it, else larger ones."""

    key: str
    title: str
    unit: str
    value: float
    at_least: bool = False

    def is_passed_by(self, value: float) -> bool:
        return value < self.value if self.at_least else value > self.value


@dataclass(frozen=True)
class Level:
    """`unknown`: why a figure that must be known has no value; this counts as beyond the limit. Neither value nor
    reason: there was nothing to measure."""

    value: float | None = None
    unknown: str = ""


class Gauge(Protocol):
    """Reads one figure. `read` raises ServerError where the figure cannot be read; `close` never raises."""

    @property
    def limit(self) -> Limit: ...

    def read(self) -> Level: ...

    def close(self) -> None: ...


@dataclass(frozen=True)
class Trip:
    """A limit that was passed. `at`: seconds since 1970."""

    limit: Limit
    level: Level
    at: float

    @property
    def says(self) -> str:
        """The value and the limit, as the end of a sentence."""
        allowed = f"the limit is {_amount(self.limit.value, self.limit.unit)}"
        if self.level.value is None:
            return f"{self.limit.title} is not known: {self.level.unknown} ({allowed})"
        return f"{self.limit.title} was {_amount(self.level.value, self.limit.unit)}, {allowed}"


@dataclass(frozen=True)
class WatchRecord:
    """Everything that a watch saw, to be stored. `unwatched`: sentences on figures that nothing here can tell."""

    limits: tuple[Limit, ...] = ()
    unwatched: tuple[str, ...] = ()
    sampled: Sampled = field(default_factory=dict)
    trip: Trip | None = None


def _amount(value: float, unit: str) -> str:
    written = f"{value:.2g}" if abs(value) < 1 else f"{value:,.1f}".removesuffix(".0")
    return written + (f" {unit}" if unit else "")
