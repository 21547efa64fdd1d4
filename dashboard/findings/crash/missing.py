"""From which log acknowledged commits are missing after crashes, in words."""

from collections.abc import Sequence
from statistics import median

from dashboard.findings.crash.trials import Tried
from dashboard.records.experiments.kind_names import number_of
from dashboard.text.numbers import sig, whole

BINLOG = "the binary log"


def lost_from(place: str, engine: str) -> str:
    """A reader's choice in words. `engine`: its name."""
    return {"either": f"{engine} or {BINLOG}", "engine": engine, "binlog": BINLOG}[place]


def says(hit: Sequence[Tried], engine: str) -> str:
    """`median 7,730 commits missing from the binary log, a part of them (median 5,020) also from InnoDB`: the place
    that lost most often first; `every commit of the load is missing from the binary log: median 7,730 commits` if
    nothing of any load was left there. The medians may be of different trials. `hit`: the trials that lost any."""
    counts = {engine: [trial.lost_engine for trial in hit], BINLOG: [trial.lost_binlog for trial in hit]}
    lost = {place: [one for one in known if one] for place, known in counts.items()}
    gone = sorted((place for place in lost if lost[place]), key=lambda one: (-len(lost[one]), -median(lost[one])))
    if all(trial.lost_engine == trial.lost_binlog == trial.lost_both for trial in hit):
        return _missing(counts[engine], hit, f"both {engine} and {BINLOG}")
    first, *others = gone
    told = [_missing(counts[first], hit, first)]
    for one in others:
        part, much = _are_part(counts[one], hit), in_words(median(lost[one]))
        if part:
            much = f"{much} of them also" if len(lost[one]) == 1 else f"a part of them (median {much}) also"
        told.append(f"{much} from {one}{_in(lost[one], hit)}")
        told += [] if part else _both(hit)
    if kept_by_binlog(hit):
        return f"{', '.join(told)}, none from {BINLOG}: replicas can have commits that the server lacks"
    told += [f"none from {engine}"] if all(one == 0 for one in counts[engine]) else []
    return ", ".join(told)


def _in(lost: Sequence[int], hit: Sequence[Tried]) -> str:
    return f" in {number_of(hit[0].kind, len(lost))}" if len(lost) < len(hit) else ""


def _missing(counts: Sequence[int | None], hit: Sequence[Tried], place: str) -> str:
    """If nothing of any load was left there, the number only tells how long the loads were."""
    lost = [count for count in counts if count]
    much = typical(median(lost), len(lost))
    if all(count == one.acknowledged for count, one in zip(counts, hit, strict=True) if count):
        return f"every commit of the load is missing from {place}{_in(lost, hit)}: {much}"
    return f"{much} missing from {place}{_in(lost, hit)}"


def _are_part(lost: Sequence[int | None], hit: Sequence[Tried]) -> bool:
    """Whether all commits that this log lost are missing from the other log too."""
    return all(one.lost_both == count for one, count in zip(hit, lost, strict=True) if count)


def _both(hit: Sequence[Tried]) -> list[str]:
    """How many commits the two numbers share; empty: not known, or no trial lost commits in both logs."""
    shared = [one.lost_both for one in hit if one.lost_engine and one.lost_binlog]
    known = [both for both in shared if both is not None]
    if not known or len(known) < len(shared):
        return []
    return [f"{in_words(median(known)) if any(known) else 'none'} from both"]


def kept_by_binlog(hit: Sequence[Tried]) -> bool:
    """Only the engine lost commits. Replicas read the binary log, so they can have these commits."""
    return bool(hit) and all(trial.lost_binlog == 0 for trial in hit)


def of_a_replica(hit: Sequence[Tried], engine: str) -> str:
    """Which way a replica can differ from the server: it has what the binary log holds. Not for trials after which only
    the engine lacks commits."""
    kept = [(one.lost_engine or 0, one.lost_binlog or 0, one.lost_both) for one in hit]
    lacks = any(binlog > (engine if both is None else both) for engine, binlog, both in kept)
    has_more = any(lost > (binlog if both is None else both) for lost, binlog, both in kept)
    if lacks and has_more:
        return "a replica can then lack commits of the server and have others that the server lost"
    if has_more:
        return "a replica can then have commits that the server lost"
    which = "commits that" if any(one.lost_engine for one in hit) else "these commits, which"
    return f"a replica can then lack {which} {engine} kept"


def typical(median: float, times: int) -> str:
    """`median 1,060 commits`; of a single loss `1,060 commits`."""
    commits = "1 commit" if median == 1 else f"{in_words(median)} commits"
    return f"median {commits}" if times > 1 else commits


def in_words(count: float) -> str:
    """A median in a sentence: 5, 3.5, 1,060."""
    return whole(count) if count == int(count) and count < 1000 else sig(count, 2 if count < 10 else 3)
