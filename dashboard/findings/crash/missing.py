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
    """`the binary log lost a median of 7,730 commits; InnoDB lost a part of these, a median of 5,020`: the place that
    lost most often first; `every commit of each load, a median of 7,730` if nothing of any load was left there. The
    medians may be of different trials. `hit`: the trials that lost any."""
    counts = {engine: [trial.lost_engine for trial in hit], BINLOG: [trial.lost_binlog for trial in hit]}
    lost = {place: [one for one in known if one] for place, known in counts.items()}
    gone = sorted((place for place in lost if lost[place]), key=lambda one: (-len(lost[one]), -median(lost[one])))
    if all(trial.lost_engine == trial.lost_binlog == trial.lost_both for trial in hit):
        return f"both {engine} and {BINLOG} lost {_commits(counts[engine], hit)}"
    first, *others = gone
    told = [f"{_in(lost[first], hit)}{first} lost {_commits(counts[first], hit)}"]
    for one in others:
        part = _are_part(counts[one], hit)
        told.append(f"{_in(lost[one], hit)}{one} lost {_part(lost[one]) if part else _much(lost[one])}")
        told += [] if part else _both(hit)
    none = [place for place, known in counts.items() if all(count == 0 for count in known)]
    return "; ".join(told) + (f", {none[0]} none" if none else "")


def _in(lost: Sequence[int], hit: Sequence[Tried]) -> str:
    return f"in {number_of(hit[0].kind, len(lost))} " if len(lost) < len(hit) else ""


def _much(lost: Sequence[int]) -> str:
    return f"a median of {in_words(median(lost))}" if len(lost) > 1 else whole(lost[0])


def _part(lost: Sequence[int]) -> str:
    """Of the commits that were named before. The medians of several trials are no part of each other."""
    return f"a part of these, {_much(lost)}" if len(lost) > 1 else f"{_much(lost)} of these"


def _commits(counts: Sequence[int | None], hit: Sequence[Tried]) -> str:
    """If nothing of any load was left there, the number only tells how long the loads were."""
    lost = [count for count in counts if count]
    if all(count == one.acknowledged for count, one in zip(counts, hit, strict=True) if count):
        much = _much(lost)
        return f"every commit of each load, {much}" if len(lost) > 1 else f"all {much} commits of the load"
    return f"{_much(lost)} {'commit' if lost == [1] else 'commits'}"


def _are_part(lost: Sequence[int | None], hit: Sequence[Tried]) -> bool:
    """Whether all commits that this log lost are missing from the other log too."""
    return all(one.lost_both == count for one, count in zip(hit, lost, strict=True) if count)


def _both(hit: Sequence[Tried]) -> list[str]:
    """How many commits the two numbers share; empty: not known, or no trial lost commits in both logs."""
    shared = [one.lost_both for one in hit if one.lost_engine and one.lost_binlog]
    known = [both for both in shared if both is not None]
    if not known or len(known) < len(shared):
        return []
    much = median(known)
    return [f"{in_words(much) if much else 'none'} {'are' if much > 1 else 'is'} missing from both"]


def would_differ(hit: Sequence[Tried]) -> tuple[bool, bool]:
    """Whether a replica would have commits that the engine lost, because the binary log still has them; and whether it
    would lack commits that only the engine kept."""
    lost = [(one.lost_engine or 0, one.lost_binlog or 0, one.lost_both) for one in hit]
    ahead = any(in_engine > (binlog if both is None else both) for in_engine, binlog, both in lost)
    behind = any(binlog > (in_engine if both is None else both) for in_engine, binlog, both in lost)
    return ahead, behind


def of_a_replica(hit: Sequence[Tried], engine: str) -> str:
    """How a replica differs from the server: it is sent what the binary log still holds, and before the crash it may
    have fetched more."""
    ahead, behind = would_differ(hit)
    if ahead and behind:
        return f"a replica would lack commits that only {engine} kept, and have others that only {BINLOG} kept"
    if ahead:
        return f"a replica would have commits that {engine} lost, because {BINLOG} still has them"
    lacks = f"a replica could lack commits that {engine} kept (because {BINLOG} lost them)"
    if not any(one.lost_engine for one in hit):
        return lacks
    return f"{lacks}, and have commits that {engine} lost (because the replica fetched them before the crash)"


def typical(median: float, times: int) -> str:
    """`median 1,060 commits`; of a single loss `1,063 commits`."""
    if times > 1:
        return f"median {'1 commit' if median == 1 else f'{in_words(median)} commits'}"
    return "1 commit" if median == 1 else f"{whole(median)} commits"


def in_words(count: float) -> str:
    """A median in a sentence: 5, 3.5, 1,060."""
    return whole(count) if count == int(count) and count < 1000 else sig(count, 2 if count < 10 else 3)
