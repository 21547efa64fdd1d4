"""A result as values: a row for each setting with its speed, its crashes one by one, and the moments of its loads.

Pages, pictures, files and messages draw or say the same value. It holds no sentence."""

from dataclasses import dataclass, replace
from functools import cached_property
from statistics import median
from typing import Literal

from dashboard.findings.crash.rate import Rate
from dashboard.findings.point import ThroughputRatio

CrashOutcome = Literal["kept", "lost", "other", "unclear", "open"]
WORST_FIRST: tuple[CrashOutcome, ...] = ("lost", "other", "unclear", "kept", "open")
# How a replica stands to its primary after the crash. "agree", "diverge" and "stopped" were tried; "same", "ahead",
# "behind" and "both" follow from what engine and binary log kept; "": neither.
ReplicaOutcome = Literal["agree", "diverge", "stopped", "unknown", "same", "ahead", "behind", "both", ""]
TRIED: frozenset[ReplicaOutcome] = frozenset({"agree", "diverge", "stopped", "unknown"})
BOUND = 0.05  # of the chance of a loss: below it a setting counts as sure, and nobody is asked for more crashes
WIDE = 0.3  # half of the interval over the mean: a speed beyond it is not firm


def is_enough(hi: float | None) -> bool:
    """Whether an upper bound of the chance of a loss needs no more crashes. None: nothing was tried."""
    return hi is not None and hi < BOUND


@dataclass(frozen=True)
class SettingSpeed:
    """Transactions per second with their 95 % interval. `ratio`: to the baseline; None: it is the baseline, or nothing
    is known of it."""

    threads: int
    tps: float
    lo: float | None
    hi: float | None
    repeats: int
    ratio: ThroughputRatio | None = None

    @property
    def is_firm(self) -> bool:
        if self.lo is None or self.hi is None or self.tps <= 0:
            return False
        return (self.hi - self.lo) / 2 <= WIDE * self.tps


@dataclass(frozen=True)
class CrashMark:
    """One trial: independent of the others. Lost commits by place, None: not known there. `outage_s`: until a server
    took commits again."""

    trial_id: int
    outcome: CrashOutcome
    engine: int | None = None
    binlog: int | None = None
    replica: int | None = None
    acknowledged: int | None = None
    outage_s: float | None = None

    @property
    def most(self) -> int:
        return max(filter(None, (self.engine, self.binlog, self.replica)), default=0)


@dataclass(frozen=True)
class Moment:
    """A content of the disk of one load. Moments of one load are not independent. `at_s`: since the load began; lost
    commits by place with the seconds in which they had been acknowledged; None: not known."""

    at_s: float
    outcome: CrashOutcome
    engine: int | None = None
    engine_s: float | None = None
    binlog: int | None = None
    binlog_s: float | None = None


@dataclass(frozen=True)
class RecordedLoad:
    """`found`: moments that differ in what is on the disk; `moments`: those that were tried, as far as they were
    read."""

    trial_id: int
    tried: int
    lost: int
    found: int
    moments: tuple[Moment, ...] = ()


@dataclass(frozen=True)
class ComparedSetting:
    """`flush` and `sync`: the values of both variables, "" where the setting does not name them. `crashes`: of the
    shown crash kind; `lost`: how many of them failed, with its bounds. `place`: of the variant in the plan."""

    name: str
    variant: str
    server_id: int
    place: int
    flush: str
    sync: str
    is_present: bool
    speeds: tuple[SettingSpeed, ...]
    crashes: tuple[CrashMark, ...]
    lost: Rate
    unclear: int
    loads: tuple[RecordedLoad, ...] = ()
    replica: ReplicaOutcome = ""
    is_chosen: bool = False

    def speed(self, threads: int) -> SettingSpeed | None:
        return next((one for one in self.speeds if one.threads == threads), None)

    @property
    def is_durable(self) -> bool:
        return (self.flush, self.sync) == ("1", "1")

    @property
    def moments(self) -> int:
        return sum(one.tried for one in self.loads)

    @property
    def trials_lost(self) -> int:
        """Of the crashes with a verdict; of recorded loads those that lost commits at any moment."""
        marked = sum(one.outcome == "lost" for one in self.crashes)
        return marked or (sum(one.lost > 0 for one in self.loads) if not self.crashes else 0)

    @property
    def moments_lost(self) -> int:
        return sum(one.lost for one in self.loads)

    @property
    def outcome(self) -> CrashOutcome:
        """Of all its crashes and loads, the worst first."""
        met: set[CrashOutcome] = {one.outcome for one in self.crashes}
        if self.moments_lost:
            met.add("lost")
        if self.moments:
            met.add("kept")
        return min(met, key=WORST_FIRST.index, default="open")

    @property
    def is_sure(self) -> bool:
        """Whether no more trials would change the answer: a loss was seen, or the bound of its chance is low."""
        return self.outcome == "lost" or is_enough(self.lost.hi)

    def median_lost(self, place: str) -> float | None:
        """Of the crashes that know it; 0 where none lost any."""
        known = [count for one in self.crashes if (count := getattr(one, place)) is not None]
        return median(known) if known else None

    @property
    def engine_kept(self) -> float | None:
        return self.kept_share("engine")

    @property
    def binlog_kept(self) -> float | None:
        return self.kept_share("binlog")

    def range_lost(self, place: str) -> tuple[int, int] | None:
        """The least and the most that a crash lost there; None: not known."""
        known = [count for one in self.crashes if (count := getattr(one, place)) is not None]
        return (min(known), max(known)) if known else None

    def kept_share(self, place: str) -> float | None:
        """The median share of the acknowledged commits that this place still holds; None: not known."""
        known = [
            1 - count / one.acknowledged
            for one in self.crashes
            if one.acknowledged and (count := getattr(one, place)) is not None
        ]
        return median(known) if known else None


@dataclass(frozen=True)
class Comparison:
    """`kind`: of the crashes; `counts`: the unit of the speeds; `threads`: all that were measured. `clients` and
    `planned_s`: of the load of a crash."""

    kind: str
    engine: str
    counts: str
    threads: tuple[int, ...]
    at_threads: int
    rows: tuple[ComparedSetting, ...]
    clients: int = 0
    planned_s: float = 0.0

    @property
    def is_named_by_both(self) -> bool:
        """Whether settings are named by both variables, as 1/1."""
        return any(one.variant == f"{one.flush}/{one.sync}" for one in self.rows)

    @cached_property
    def crash_speeds(self) -> tuple[float, float] | None:
        """The slowest and the fastest load of a crash, in commits per second; None: not known."""
        known = [one.acknowledged for row in self.rows for one in row.crashes if one.acknowledged]
        return (min(known) / self.planned_s, max(known) / self.planned_s) if known and self.planned_s else None

    @property
    def has_replica(self) -> bool:
        return any(one.replica is not None for row in self.rows for one in row.crashes)

    @property
    def has_unclear(self) -> bool:
        return any(one.outcome == "unclear" for row in self.rows for one in row.crashes)

    @cached_property
    def has_crashes(self) -> bool:
        return any(one.crashes or one.loads for one in self.rows)

    @cached_property
    def most_lost(self) -> int:
        return max((mark.most for one in self.rows for mark in one.crashes), default=0)

    @cached_property
    def load_s(self) -> float:
        """The length of the longest recorded load."""
        return max((one.at_s for row in self.rows for load in row.loads for one in load.moments), default=0.0)

    def with_moments(self, moments: dict[int, tuple[Moment, ...]]) -> "Comparison":
        """By trial."""
        rows = (
            replace(row, loads=tuple(replace(one, moments=moments.get(one.trial_id, ())) for one in row.loads))
            for row in self.rows
        )
        return replace(self, rows=tuple(rows))
