"""The result of a recorded load: each state that was recovered, what was covered, and what was not tried."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from statistics import median
from typing import Literal

from workers.crash.checks import CHECKS
from workers.crash.points.untried import PointPlace, UntriedPoint, packed
from workers.crash.setup_and_result import LostWork, TrialResult
from workers.crash.verdict import CheckResult, Outcome, incomplete, verdict

LOSSES = ("lost-engine", "lost-binlog")
MOST_LOGS = 5
FIRST_UNTRIED = 25  # of a trial, stored as they are; the list of all is packed
RECORDING = 0  # its number among the archives of a trial; kept crash points begin at 1
HISTORY = "history"  # the check of a small history
KILLED: Literal["killed"] = "killed"  # what the disk keeps at a kill point
CRASH_POINT, KILL_POINT = "crash point", "kill point"


@dataclass(frozen=True, kw_only=True)
class JudgedPoint(PointPlace):
    """What maps of a load show: a content of the disk with its verdict and its losses."""

    verdict: Outcome
    lost_engine: LostWork | None
    lost_binlog: LostWork | None
    lost_replica: LostWork | None = None  # None also without a replica

    @property
    def has_lost(self) -> bool:
        return any(lost and lost.transactions for lost in (self.lost_engine, self.lost_binlog, self.lost_replica))


@dataclass(frozen=True, kw_only=True)
class TriedState(JudgedPoint):
    """One content of the disk after its recovery. `acknowledged`: commits until `at_s`; `checks`: those that did not
    pass; `passed`: keys of the others; `vacuous`: of these, those that had nothing to check."""

    acknowledged: int
    checks: tuple[CheckResult, ...]
    passed: tuple[str, ...]
    recovery_s: float | None  # None: the server stayed down
    took_s: float  # recovery and judging
    log_lines: tuple[str, ...] = ()  # of the recovery, if a check did not pass
    vacuous: tuple[str, ...] = ()

    @property
    def in_time(self) -> tuple[float, int, str]:
        """By which states are ordered."""
        return self.at_s, self.moment, self.keeps

    @property
    def is_uncounted(self) -> bool:
        """Commits had been acknowledged, and the engine could not be read: whether they were lost is not known. Of a
        small history: it is not known what the server holds."""
        if any(one.key == HISTORY for one in self.checks):
            return self.verdict == "unknown"
        read = self.lost_engine is not None or self.verdict == "valid"
        return not read and self.acknowledged > 0 and not self.has_lost


def counting(checks: Sequence[CheckResult], acknowledged: int) -> tuple[CheckResult, ...]:
    """Before the first acknowledgement nothing can be lost: only the other checks decide."""
    return tuple(one for one in checks if acknowledged or one.key not in LOSSES)


@dataclass(frozen=True, kw_only=True)
class PointCounts:
    """Crash points of a recorded load. `failed`: a check failed there; `lost`: acknowledged commits were lost there;
    `uncounted`: whether they were is not known, because the engine could not be read."""

    tried: int
    failed: int
    lost: int
    uncounted: int = 0


@dataclass(frozen=True, kw_only=True)
class DecidingBlock:
    """The one block that decides whether `checks` pass at a violation; of torn writes one sector of it (`n_bytes`).
    `disk`: on which one of several. `path` "": it belongs to no file, and `offset` is that of the disk. `arrived`: they
    pass if nothing of its write got through; else if all of it did. `recoveries`: how many contents were recovered to
    find it. `later_s`: how long after the violation became possible a flush made the missing commits durable; None: it
    was not looked for."""

    moment: int
    keeps: str
    checks: tuple[str, ...]
    path: str
    offset: int
    role: str
    arrived: bool
    recoveries: int
    n_bytes: int = 4096
    disk: str = ""
    later_s: float | None = None


@dataclass(frozen=True, kw_only=True)
class OtherPoint:
    """A crash point of another setting at which a check did not pass. `failed`, `unclear`: keys of these checks;
    `says`: the words of the first one."""

    moment: int
    at_s: float
    keeps: str
    failed: tuple[str, ...]
    unclear: tuple[str, ...]
    says: str


@dataclass(frozen=True, kw_only=True)
class OtherSetting:
    """The violations once more with another value of one setting. `same`: on the same contents of the disk, where it is
    a setting of the recovery; else at crash points of another load. Of those `tried`: `failed`, where a check that had
    failed fails again; `unclear`, where none does and one of them is unclear. `points`: all at which any check did not
    pass. `server`: "replica" if only that had it."""

    name: str
    ran: str
    other: str
    same: bool
    tried: int
    failed: int
    unclear: int = 0
    points: tuple[OtherPoint, ...] = ()
    server: str = ""


@dataclass(frozen=True, kw_only=True)
class KeptPoint:
    """A violation that is kept with its disk. `number`: 1, 2 ... in the trial. `n_bytes`: of its archive; 0: `lacks`
    says why there is none. `clients` and `commits` of each: it is one of a shortest load; 0: of the trial's load.
    `history`: title of the small history that it is a state of."""

    number: int
    moment: int
    at_s: float
    keeps: str
    checks: tuple[str, ...]
    n_bytes: int
    lacks: str = ""
    clients: int = 0
    commits: int = 0
    history: str = ""


@dataclass(frozen=True, kw_only=True)
class ShortestLoad:
    """The first load, of loads with few clients and few commits of each, at which these `checks` of a violation failed.
    `failed`: crash points at which one of them did, of those that were `tried`; `found`: how many the load has.

    `failed` 0: they failed at none of so many `loads`. Then `tried` and `found` are those of all loads, and the size is
    that of the last one. `statements`: of the first client; none of an own transaction. `keeps` and `acknowledged`: of
    a crash point at which most of the checks failed."""

    checks: tuple[str, ...]
    clients: int
    commits: int
    failed: int = 0
    tried: int
    found: int
    loads: int
    statements: tuple[str, ...] = ()
    keeps: str = ""
    acknowledged: int = 0


@dataclass(frozen=True, kw_only=True)
class SmallestHistory:
    """The steps of a small history that are enough for a wrong state. `played`: how many parts of it were tried."""

    title: str
    steps: tuple[str, ...]
    played: int


@dataclass(frozen=True, kw_only=True)
class KeptRecording:
    """The recording as an archive. `n_bytes` 0: `lacks` says why there is none."""

    n_bytes: int
    lacks: str = ""


@dataclass(frozen=True, kw_only=True)
class PointsStory:
    """`pairs`: distinct pairs of flushed redo log and flushed binlog in the recording, `covered`: those of them that
    were tried. `left`: crash points that were found and not tried; `untried`: these, in the order in which they would
    be tried; where they are stored only the first ones, and `untried_list` is the text of all; `unmade`: how many of
    these could not be made, `why_unmade`: the first one's reason; `out_of_time`: the plan's time for them was over.
    `ended`: why the recording ended before the load; "" otherwise. `margin_s`: by how much the clocks of clients and
    disk may differ. `violations`: those that differ; `examined`: how many of them were examined; `not_again`: of these,
    those that passed when they were recovered again. `windows`: of small histories, times between two flushes with
    unflushed writes; `sampled`: those of them of which only a drawn part of the subsets was tried. `bracket_s`: a
    smaller difference of the clocks is not seen; None: not known. `recording`: None: the plan does not keep it."""

    states: tuple[TriedState, ...]
    pairs: int
    covered: int
    left: int
    writes: int
    flushes: int
    recorded_s: float
    ended: str
    margin_s: float
    lanes: int
    took_s: float
    deciding: tuple[DecidingBlock, ...] = ()
    kept: tuple[KeptPoint, ...] = ()
    out_of_time: bool = False
    settings: tuple[OtherSetting, ...] = ()
    violations: int = 0
    examined: int = 0
    not_again: int = 0
    windows: int = 0
    sampled: int = 0
    bracket_s: float | None = None
    recording: KeptRecording | None = None
    smallest: tuple[SmallestHistory, ...] = ()
    shortest: tuple[ShortestLoad, ...] = ()
    untried: tuple[UntriedPoint, ...] = ()
    untried_list: str = ""
    unmade: int = 0
    why_unmade: str = ""

    @property
    def counts(self) -> PointCounts:
        return PointCounts(
            tried=len(self.states),
            failed=sum(state.verdict == "invalid" for state in self.states),
            lost=sum(state.has_lost for state in self.states),
            uncounted=sum(state.is_uncounted for state in self.states),
        )

    def as_stored(self) -> dict[str, object]:
        """Without names of passed checks, and with the logs of the first states that did not pass. The list of crash
        points that were not tried is packed."""
        logs = [number for number, state in enumerate(self.states) if state.log_lines][:MOST_LOGS]
        states = (
            replace(one, passed=(), vacuous=(), log_lines=one.log_lines if number in logs else ())
            for number, one in enumerate(self.states)
        )
        short = replace(
            self,
            states=tuple(states),
            untried=self.untried[:FIRST_UNTRIED],
            untried_list=packed(self.untried),
        )
        return asdict(short) | {"counts": asdict(self.counts)}


@dataclass(frozen=True, kw_only=True)
class PointsResult(TrialResult):
    """Of a trial that recorded a load. The lost commits are those of the worst crash point. `archives`: those of
    `points.kept`, by number; 0: the recording."""

    points: PointsStory
    archives: Mapping[int, bytes] = field(default_factory=dict)


def with_points(known: TrialResult, story: PointsStory, archives: Mapping[int, bytes]) -> PointsResult:
    """`known`: what the trial knows beside its crash points."""
    checks = checks_of(story.states)
    recoveries = [state.recovery_s for state in story.states if state.recovery_s is not None]
    found = {
        "verdict": verdict(checks),
        "checks": checks,
        "recovery_s": median(recoveries) if recoveries else None,
        "lost_engine": worst_loss([state.lost_engine for state in story.states]),
        "lost_binlog": worst_loss([state.lost_binlog for state in story.states]),
        "lost_replica": worst_loss([state.lost_replica for state in story.states]),
    }
    result = PointsResult(**vars(known) | found, points=story, archives=archives)
    return _with_unmade(result, story) if story.unmade else result


def _with_unmade(result: PointsResult, story: PointsStory) -> PointsResult:
    """Points that could not be made were not tried. They may have been violations, so nothing passed."""
    noun, verb = (f"{noun_of(story.states)}s", "were") if story.unmade > 1 else (noun_of(story.states), "was")
    error = f"{story.unmade:,} {noun} could not be made and {verb} not tried: {story.why_unmade}"
    return replace(result, verdict=incomplete(result.verdict), failed_at="crash points", error=error)


def checks_of(states: Sequence[TriedState]) -> tuple[CheckResult, ...]:
    """Each check over all states, in the registry's order."""
    noun = noun_of(states)
    return tuple(one for key in (*CHECKS, HISTORY) if (one := _over_all(key, states, noun)))


def noun_of(states: Sequence[PointPlace]) -> str:
    """Of a recorded load."""
    return KILL_POINT if any(state.keeps == KILLED for state in states) else CRASH_POINT


def worst_loss(losses: Sequence[LostWork | None]) -> LostWork | None:
    """None: it is known of no state."""
    return max((one for one in losses if one), key=lambda one: (one.transactions, one.ms), default=None)


def _over_all(key: str, states: Sequence[TriedState], noun: str) -> CheckResult | None:
    """None: it does not apply."""
    met = [(state, one) for state in states for one in state.checks if one.key == key]
    total = len(met) + sum(key in state.passed for state in states)
    if not total:
        return None
    vacuous = sum(key in state.vacuous for state in states)
    empty, passed = len(states) - total + vacuous, total - len(met) - vacuous
    for outcome, word in (("invalid", "Failed"), ("unknown", "Unclear")):
        if bad := [(state, one) for state, one in met if one.outcome == outcome]:
            state, first = bad[0]
            says = f"{word} at {len(bad):,} of {len(states):,} {noun}s.{_elsewhere(passed, len(met) - len(bad), empty)}"
            says += f" At the first {word.lower()} one, {state.at_s:.4f} s: {first.says}"
            count = len(bad) if outcome == "invalid" else 0
            return replace(first, count=count, says=says)
    return _passed(key, passed, empty, noun)


def _passed(key: str, passed: int, empty: int, noun: str) -> CheckResult:
    """`empty`: points with nothing to check."""
    if not passed:
        says = f"None of the {empty:,} {noun}s had a transaction to check."
        return CheckResult(key, "valid", 0, says, vacuous=True)
    where = (
        f"at {passed:,} of {passed + empty:,} {noun}s.{_elsewhere(0, 0, empty)}"
        if empty
        else f"at all {passed:,} {noun}s."
    )
    return CheckResult(key, "valid", 0, f"Passed {where}")


def _elsewhere(passed: int, unclear: int, empty: int) -> str:
    """At how many of the other points the check passed, was unclear or had nothing to check."""
    counted = ((passed, "passed"), (unclear, "unclear"), (empty, "no transaction to check"))
    told = ", ".join(f"{what} at {count:,} other{'s' if count > 1 else ''}" for count, what in counted if count)
    return f" {told[0].upper()}{told[1:]}." if told else ""
