"""From which log acknowledged commits are missing after crashes, in words."""

from collections.abc import Sequence
from statistics import median

from dashboard.findings.crash.trials import Tried
from dashboard.text.numbers import sig, whole

BINLOG = "the binary log"


def lost_from(place: str, engine: str) -> str:
    """A reader's choice in words. `engine`: its name."""
    return {"either": f"{engine} or {BINLOG}", "engine": engine, "binlog": BINLOG}[place]


def says(hit: Sequence[Tried], engine: str) -> str:
    """`median 7,730 commits missing from the binary log, 5,020 from InnoDB`: the place that lost commits most often
    first. `hit`: the trials that lost any."""
    counts = {engine: [trial.lost_engine for trial in hit], BINLOG: [trial.lost_binlog for trial in hit]}
    lost = {place: [one for one in known if one] for place, known in counts.items()}
    gone = sorted((place for place in lost if lost[place]), key=lambda one: (-len(lost[one]), -median(lost[one])))
    if counts[engine] == counts[BINLOG]:
        return f"{typical(median(lost[engine]), len(hit))} missing from both {engine} and {BINLOG}"
    first, *others = gone
    told = [f"{typical(median(lost[first]), len(lost[first]))} missing from {first}{_in(lost[first], hit)}"]
    told += [f"{in_words(median(lost[one]))} from {one}{_in(lost[one], hit)}" for one in others]
    if kept_by_binlog(hit):
        return f"{', '.join(told)}; {BINLOG} still holds them, so replicas can have commits that the server lacks"
    return ", ".join([*told, f"none from {engine}"] if all(one == 0 for one in counts[engine]) else told)


def _in(lost: Sequence[int], hit: Sequence[Tried]) -> str:
    return f" in {len(lost):,} of them" if len(lost) < len(hit) else ""


def kept_by_binlog(hit: Sequence[Tried]) -> bool:
    """Only the engine lost commits. Replicas read the binary log, so they can have these commits."""
    return bool(hit) and all(trial.lost_binlog == 0 for trial in hit)


def overlaps(hit: Sequence[Tried]) -> bool:
    """Whether the numbers of both logs differ and could be added up by mistake."""
    both = [trial for trial in hit if trial.lost_engine and trial.lost_binlog]
    return any(trial.lost_engine != trial.lost_binlog for trial in both)


def typical(median: float, times: int) -> str:
    """`median 1,060 commits`; of a single loss `1,060 commits`."""
    commits = "1 commit" if median == 1 else f"{in_words(median)} commits"
    return f"median {commits}" if times > 1 else commits


def in_words(count: float) -> str:
    """A median in a sentence: 5, 3.5, 1,060."""
    return whole(count) if count == int(count) and count < 1000 else sig(count, 2 if count < 10 else 3)
