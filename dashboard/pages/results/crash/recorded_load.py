"""The part of a trial's page that only a recorded load has."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from dashboard.charts.crash_map import CrashMap, crash_map, look_of
from dashboard.findings.crash import recorded
from dashboard.text.numbers import duration, whole
from dashboard.text.words import listed
from workers.bench.trial_kinds import CHECK_TITLES
from workers.crash.points.exhaust import MOST_SUBSETS, MOST_UNFLUSHED
from workers.crash.points.story import (
    FIRST_UNTRIED,
    DecidingBlock,
    KeptPoint,
    KeptRecording,
    OtherPoint,
    OtherSetting,
    PointsStory,
    SmallestHistory,
    TriedState,
)
from workers.crash.points.untried import UntriedPoint
from workers.crash.verdict import CheckResult
from workers.sandbox.disk.image import BLOCK_BYTES

SHOWN = 50  # violations in the tables
WORST = 8  # of them, above the fold
SHOWN_OTHER = 3  # crash points of another setting at which a check did not pass


@dataclass(frozen=True)
class ViolationRow:
    """A crash point at which a check did not pass."""

    look: str
    outcome: str
    at_s: float
    disk: str
    chosen: str
    engine: int | None
    binlog: int | None
    replica: int | None
    says: tuple[tuple[str, str], ...]
    log: str


@dataclass(frozen=True)
class KeptView:
    """`lacks`: why it has no archive."""

    number: int
    at_s: float
    disk: str
    checks: str
    n_bytes: int
    lacks: str


@dataclass(frozen=True)
class WayRow:
    """Crash points that were chosen in one way, or those of one small history."""

    title: str
    tried: int
    failed: int
    unclear: int


@dataclass(frozen=True)
class LoadView:
    """`left`: crash points that were not tried; `listed`: how many of them the file lists; `untried`: those that are
    shown."""

    sentence: str
    drawn: CrashMap
    ways: tuple[WayRow, ...]
    deciding: tuple[str, ...]
    kept: tuple[KeptView, ...]
    recording: KeptRecording | None
    worst: tuple[ViolationRow, ...]
    violations: tuple[ViolationRow, ...]  # the rest
    more: int
    left: int
    listed: int
    untried: tuple[UntriedPoint, ...]
    facts: tuple[tuple[str, str], ...]


def view(story: PointsStory) -> LoadView:
    bad = sorted((one for one in story.states if one.verdict != "valid"), key=_worst_first)
    return LoadView(
        sentence=sentence(story),
        drawn=crash_map(story.states),
        ways=tuple(_ways(story.states)),
        deciding=(
            *map(_decides, story.deciding),
            *map(_otherwise, story.settings),
            *map(_smallest, story.smallest),
        ),
        kept=tuple(map(_kept, story.kept)),
        recording=story.recording,
        worst=tuple(map(_violation, bad[:WORST])),
        violations=tuple(map(_violation, bad[WORST:SHOWN])),
        more=max(0, len(bad) - SHOWN),
        left=story.left,
        listed=story.left if story.untried_list else len(story.untried),
        untried=tuple(replace(one, keeps=_on_disk(one.keeps)) for one in story.untried[:FIRST_UNTRIED]),
        facts=tuple((name, says) for name, says in _facts(story) if says),
    )


def sentence(story: PointsStory) -> str:
    """Without its full stop."""
    counted = any(one.lost_engine or one.lost_binlog or one.lost_replica for one in story.states)
    most = max(map(_lost, story.states)) if counted else None
    text = recorded.says(story.counts, 1, most, _histories(story))
    return f"{text[0].upper()}{text[1:]}"


def _histories(story: PointsStory) -> str:
    """How many were played, in words; "" of a recorded load."""
    played = len({state.way for state in story.states}) if story.windows else 0
    return f"{played} histor{'y' if played == 1 else 'ies'}" if played else ""


def _ways(states: Sequence[TriedState]) -> Iterator[WayRow]:
    """In the order of their first crash points."""
    for way in dict.fromkeys(state.way for state in states):
        verdicts = [state.verdict for state in states if state.way == way]
        yield WayRow(way, len(verdicts), verdicts.count("invalid"), verdicts.count("unknown"))


def _worst_first(state: TriedState) -> tuple[bool, int, float]:
    return state.verdict != "invalid", -_lost(state), state.at_s


def _lost(state: TriedState) -> int:
    known = (state.lost_engine, state.lost_binlog, state.lost_replica)
    return max((one.transactions for one in known if one), default=0)


def _violation(state: TriedState) -> ViolationRow:
    return ViolationRow(
        look=look_of(state),
        outcome="failed" if state.verdict == "invalid" else "unclear",
        at_s=state.at_s,
        disk=_on_disk(state.keeps),
        chosen=state.way,
        engine=state.lost_engine.transactions if state.lost_engine else None,
        binlog=state.lost_binlog.transactions if state.lost_binlog else None,
        replica=state.lost_replica.transactions if state.lost_replica else None,
        says=tuple((CHECK_TITLES.get(one.key, one.key), one.says) for one in _telling(state)),
        log="\n".join(state.log_lines),
    )


def _decides(block: DecidingBlock) -> str:
    """Minimal evidence, in words."""
    checks = listed([f"“{CHECK_TITLES.get(key, key)}”" for key in block.checks])
    place = f"{block.path}, byte {whole(block.offset)}" if block.path else f"byte {whole(block.offset)} of the disk"
    if block.arrived:
        how = "If nothing of its write had got through, the checks would have passed"
    else:
        how = "If its write had got through, the checks would have passed"
    tried = f"{whole(block.recoveries)} recoveries found it"
    what = "One sector of 512 bytes" if block.n_bytes < BLOCK_BYTES else "One block of 4 KiB"
    disk = f"on the disk of the {block.disk}, " if block.disk else ""
    return f"{what} made {checks} fail: {disk}{place} ({block.role}). {how}. {tried}."


def _otherwise(one: OtherSetting) -> str:
    """A setting that was tried with its safer value, in words."""
    changed = f"With {one.name}={one.other} instead of {one.ran}"
    where = "kept contents of the disk" if one.same else "crash points of another load"
    tried = f"{whole(one.tried)} {where}"
    if one.failed:
        says = f"a check that failed here failed again at {whole(one.failed)} of {tried}"
    elif one.unclear:
        says = f"no check that failed here failed again at {tried}"
    else:
        says = f"the checks that failed here passed at all {tried}"
    unclear = f" At {whole(one.unclear)} of them such a check is unclear." if one.unclear else ""
    first = [_other_point(point) for point in one.points[:SHOWN_OTHER]]
    rest = len(one.points) - len(first)
    more = f" The JSON of the experiment has {whole(rest)} more." if rest else ""
    return f"{changed}, {says}.{unclear}{''.join(first)}{more}"


def _other_point(point: OtherPoint) -> str:
    """Which checks did not pass there, and why the first one did not."""
    keys, how = (point.failed, "failed") if point.failed else (point.unclear, "unclear")
    checks = listed([f"“{CHECK_TITLES.get(key, key)}”" for key in keys])
    return f" At {duration(point.at_s)} ({_on_disk(point.keeps)}) {how}: {checks}. {point.says}"


def _smallest(history: SmallestHistory) -> str:
    return (
        f"Of the history “{history.title}” these steps are enough: {'; '.join(history.steps)}. "
        f"To find them, its steps were dropped one by one, and {whole(history.played)} parts were played."
    )


def _kept(point: KeptPoint) -> KeptView:
    return KeptView(
        number=point.number,
        at_s=point.at_s,
        disk=_on_disk(point.keeps),
        checks=listed([f"“{CHECK_TITLES.get(key, key)}”" for key in point.checks]),
        n_bytes=point.n_bytes,
        lacks=point.lacks,
    )


def _telling(state: TriedState) -> Sequence[CheckResult]:
    """A server that stays down leaves many checks unclear: those that failed are enough."""
    return [one for one in state.checks if one.outcome == "invalid"] or state.checks


DISKS = {
    "durable": "only what was flushed",
    "written": "everything that was written",
    "torn": "a part of the unflushed sectors",
    "only": "a part of the unflushed writes",
}


def _on_disk(keeps: str) -> str:
    return DISKS.get(keeps, keeps)


def _subsets(story: PointsStory) -> str:
    """What "all states" means for small histories."""
    if not story.windows:
        return ""
    times = f"All of them at {whole(story.windows - story.sampled)} of {whole(story.windows)} times between two flushes"
    drawn = (
        f"; at the others, with more than {MOST_UNFLUSHED} writes, {MOST_SUBSETS} drawn ones" if story.sampled else ""
    )
    return f"{times}{drawn}. A write gets through whole or not at all"


def _margin(story: PointsStory) -> str:
    margin = f"{1e6 * story.margin_s:.0f} µs; commits within it are in doubt"
    if story.bracket_s is None:
        return margin
    return f"{margin}. A difference below {duration(story.bracket_s)} would not have been seen"


def _facts(story: PointsStory) -> Sequence[tuple[str, str]]:
    tried = len(story.states)
    found = f"{whole(tried)} of {whole(tried + story.left)} that were found"
    limit = ". Then the plan's time for crash points was over" if story.out_of_time else ""
    return (
        ("Crash points tried", f"{found}. Points with the same content of the disk count as one{limit}"),
        (
            "Pairs of flushed redo log and flushed binlog",
            f"{whole(story.covered)} of {whole(story.pairs)} tried" if story.pairs else "",
        ),
        (
            "Recorded",
            f"{whole(story.writes)} writes and {whole(story.flushes)} flushes in {duration(story.recorded_s)}",
        ),
        ("Subsets of the unflushed writes", _subsets(story)),
        ("End of the recording", story.ended),
        (
            "Violations examined",
            f"{whole(story.examined)} of {whole(story.violations)} that differ in their failed checks, in what the "
            "disk kept or in the files that decide"
            if story.violations
            else "",
        ),
        (
            "Not seen again",
            f"{whole(story.not_again)} of the violations passed when the same content was recovered again"
            if story.not_again
            else "",
        ),
        ("Margin of the clocks of clients and disk", _margin(story)),
        ("Time", f"{duration(story.took_s)}, {story.lanes} at once" if tried else ""),
    )
