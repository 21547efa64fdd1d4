"""Recorded loads in words. The crash points of one load are not independent: they are counted for that load, and an
interval is over loads."""

from collections.abc import Sequence

from dashboard.findings.crash.trials import Tried
from dashboard.records.experiments.kind_names import HISTORIES, RECORDED_KINDS, number_of
from workers.crash.kinds import CRASH_KINDS
from workers.crash.points.story import CRASH_POINT, KILL_POINT, PointCounts

KILLED = frozenset(kind for kind in RECORDED_KINDS if CRASH_KINDS[kind].keeps_page_cache)
LOSSES_UNKNOWN = "the tables could not be read, and losses are not known"
HELD_UNKNOWN = "it is not known what the server held"


def total(trials: Sequence[Tried]) -> PointCounts | None:
    """The crash points of all these loads; None: none has any."""
    known = [trial.points for trial in trials if trial.points and trial.points.tried]
    if not known:
        return None
    return PointCounts(
        tried=sum(one.tried for one in known),
        failed=sum(one.failed for one in known),
        lost=sum(one.lost for one in known),
        uncounted=sum(one.uncounted for one in known),
    )


def noun_of(kind: str) -> str:
    """What is counted of a recorded load of that crash kind."""
    return KILL_POINT if kind in KILLED else CRASH_POINT


def points_of_kind(points: int, kind: str) -> str:
    """24 crash points of a replica: as in the heading of the crash matrix."""
    whose = " of a replica" if CRASH_KINDS[kind].with_replica else " of small histories" if kind in HISTORIES else ""
    return _points(points, noun_of(kind)) + whose


def points_of_loads(points: int, loads: int, noun: str = CRASH_POINT) -> str:
    """636 crash points of 3 loads."""
    return f"{_points(points, noun)} of {'this load' if loads == 1 else f'{loads:,} loads'}"


def points_in_full(points: int, kind: str, trials: int, found: int = 0) -> str:
    """As `points_of_loads`, with how many each load has and how many were found: for the first sentence of a page."""
    if kind in HISTORIES:
        return f"{_points(points, CRASH_POINT)} of {number_of(kind, trials)}"
    each, rest = divmod(points, trials)
    of_found = f"of {found:,} found; " if found > points else ""
    loads = "1 load" if trials == 1 else f"{trials:,} loads"
    in_each = "" if rest or trials == 1 else f"{each:,} in each "
    whose = " of a replica" if CRASH_KINDS[kind].with_replica else ""
    return f"{_points(points, noun_of(kind))} ({of_found}{in_each}of {loads}{whose})"


def _points(points: int, noun: str) -> str:
    return f"1 {noun}" if points == 1 else f"{points:,} {noun}s"


def says(counts: PointCounts, loads: int, most_lost: int | None, histories: str = "", noun: str = CRASH_POINT) -> str:
    """What a setting lost at the crash points of its loads, or at the states of `histories`. `most_lost`: commits at
    the worst of them; None: they could not be counted. Of histories that lost none, a wrong content can be anything."""
    where = points_of_loads(counts.tried, loads, noun)
    if histories:
        where = f"{_points(counts.tried, CRASH_POINT)} of {histories}"
    unread = f"at {counts.uncounted:,} {HELD_UNKNOWN if histories else LOSSES_UNKNOWN}" if counts.uncounted else ""
    if most_lost is None or (histories and not counts.lost):
        if counts.failed:  # of the failed states, too, losses may be unknown: the two numbers cannot be told apart
            return f"recovered wrong at {counts.failed:,} of the {where}"
        if unread:
            return f"recovered right at {counts.tried - counts.uncounted:,} of the {where}; {unread}"
        return f"recovered right at {'all ' if counts.tried > 1 else 'the '}{where}"
    others = counts.failed - counts.lost
    otherwise = f"failed in another way at {others:,}" if others else ""
    if counts.uncounted:
        lost = f"lost acknowledged commits at {counts.lost:,} of the {where}" if counts.lost else ""
        nothing = f"lost no commit at {counts.tried - counts.uncounted:,} of the {where}"
        return "; ".join(filter(None, (lost or nothing, otherwise, unread)))
    if not counts.failed:
        return f"lost nothing at {'any of ' if counts.tried > 1 else ''}the {where}"
    if not counts.lost:
        return f"lost no commit at any of the {where}, but {otherwise} of them"
    lost = f"lost acknowledged commits at {counts.lost:,} of the {where} (at the worst one {most_lost:,})"
    return "; ".join(filter(None, (lost, otherwise)))
