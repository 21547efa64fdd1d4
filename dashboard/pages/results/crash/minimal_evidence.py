"""Minimal evidence of a violation, in words: the block, the settings and the load that are enough for it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dashboard.findings.tested import check_title, naming
from dashboard.text.numbers import duration, whole
from dashboard.text.words import listed
from workers.crash.points.other_settings import MOST_POINTS
from workers.crash.points.shortest import LIMIT_S
from workers.crash.points.story import (
    KILLED,
    DecidingBlock,
    OtherPoint,
    OtherSetting,
    PointsStory,
    ShortestLoad,
    SmallestHistory,
    noun_of,
)
from workers.sandbox.disk.image import BLOCK_BYTES

ALONE = (
    "Each of these settings was changed alone. If a check still fails then, several settings must be changed at once."
)
SHORTEST = "Shortest load that fails"
SHOWN_OTHER = 3  # crash points of another setting at which a check did not pass
VERIFIES = "It was tried because with it recovery notices a damaged binary log."
VERIFIERS = ("source_verify_checksum", "master_verify_checksum")
REASONS = {  # why a setting was tried whose name does not say it
    **dict.fromkeys(VERIFIERS, VERIFIES),
    "rocksdb_wal_recovery_mode": "With 2 the recovery ends at the first damaged entry of the write-ahead log.",
    "relay_log_recovery": "With it the replica fetches again what it had not applied.",
    "innodb_flush_method": "With fsync the copy of a page is flushed before the page.",
}
DISKS = {
    "durable": "only what was flushed",
    "written": "all that had been sent to the disk, flushed or not",
    KILLED: "all that the files were given",
    "torn": "what was flushed, and some of the sectors sent to the disk but not flushed",
    "only": "what was flushed, and some of the writes sent to the disk but not flushed",
}


def on_disk(keeps: str) -> str:
    return DISKS.get(keeps, keeps)


@dataclass(frozen=True)
class MinimalEvidence:
    """`more`: details, shown on demand."""

    title: str
    says: str
    more: tuple[str, ...] = ()


def prevention(story: PointsStory, engine: str) -> Iterator[MinimalEvidence]:
    """Which other settings prevent the violations. `engine`: its name."""
    points = f"{noun_of(story.states)}s"
    yield from (_otherwise(one, points, engine) for one in sorted(_telling(story), key=_prevents_first))
    if sum(not one.same for one in story.settings) > 1 and any(one.failed for one in story.settings):
        yield MinimalEvidence("Settings", ALONE)


def evidence(story: PointsStory, engine: str) -> Iterator[MinimalEvidence]:
    """The least that shows a violation: blocks, loads, histories."""
    points = f"{noun_of(story.states)}s"
    yield from (_decides(one, story, engine) for one in story.deciding)
    yield from (_shortest(one, points, engine) for one in story.shortest)
    yield from map(_smallest, story.smallest)


def _telling(story: PointsStory) -> list[OtherSetting]:
    """Without settings that only concern a damaged binary log, where it lost nothing and they changed nothing."""
    whole_binlog = not any(one.lost_binlog and one.lost_binlog.transactions for one in story.states)
    return [one for one in story.settings if not (whole_binlog and one.failed and one.name in VERIFIERS)]


def _prevents_first(one: OtherSetting) -> tuple[bool, bool]:
    return bool(one.failed), bool(one.unclear)


def _otherwise(one: OtherSetting, points: str, engine: str) -> MinimalEvidence:
    """A setting that was tried with its safer value."""
    load = "the same load" if one.same else f"a second load, which was recorded with {one.name}={one.other}"
    most = f" ({MOST_POINTS} is the limit when another setting is tried)" if one.tried == MOST_POINTS else ""
    tried = f"Tried with {load}, at {whole(one.tried)} of its {points}{most}"
    if one.failed:
        at = "all of these" if one.failed == one.tried else f"{whole(one.failed)} of these"
        title, says = "Did not help alone", f"The checks still failed at {at}"
    elif one.unclear:
        title, says = "Perhaps prevented by", "No check still failed"
    else:
        title, says = "Prevented by", "All checks that fail here passed there"
    unclear = f" At {whole(one.unclear)} of them a check is unclear." if one.unclear else ""
    first = [_other_point(point, engine) for point in one.points[:SHOWN_OTHER]]
    if rest := len(one.points) - len(first):
        first.append(f"The JSON of the experiment has {whole(rest)} more.")
    whose = f" on the {one.server}" if one.server else ""
    setting = f"{one.name}={one.other} instead of {one.ran}{whose}"
    reason = f" {why}" if (why := REASONS.get(one.name)) else ""
    return MinimalEvidence(title, f"{setting}. {tried}.{reason} {says}.{unclear}", tuple(first))


def _other_point(point: OtherPoint, engine: str) -> str:
    """Which checks did not pass there, and why the first one did not."""
    keys, how = (point.failed, "failed") if point.failed else (point.unclear, "unclear")
    checks, says = checks_in_words(keys, engine), naming(engine, point.says)
    return f"At {duration(point.at_s)} ({on_disk(point.keeps)}) {how}: {checks}. {says}"


def _decides(block: DecidingBlock, story: PointsStory, engine: str) -> MinimalEvidence:
    """At the moment of the violation it was not yet, or already, on the disk."""
    at = {(one.moment, one.keeps): f"At {one.at_s:.4f} s (event {whole(one.moment)}) " for one in story.states}
    place = f"{block.path}, byte {whole(block.offset)}" if block.path else f"byte {whole(block.offset)} of the disk"
    what = "a single sector of 512 bytes" if block.n_bytes < BLOCK_BYTES else "a single block of 4 KiB"
    role, checks = block.role.replace("binlog", "binary log"), checks_in_words(block.checks, engine)
    disk = f"on the disk of the {block.disk}, " if block.disk else ""
    how, otherwise = ("was already", "had not been") if block.arrived else ("was not yet", "had been")
    later = "" if block.later_s is None else f" It was flushed {duration(block.later_s)} later."
    unsent = not block.arrived and block.keeps == "written"  # in the page cache, or in the server's memory
    memory = " At that moment the host had not sent it to the disk yet." if unsent else ""
    where = f"{at.get((block.moment, block.keeps), '')}{what} {how} on the disk: {disk}{place} ({role})"
    return MinimalEvidence(
        "Example of a failure",
        f"{where}. If it {otherwise} there, {checks} would have passed.{memory}{later} To find this one block, "
        f"Durascope recovered {whole(block.recoveries)} copies of the disk, each with another choice of the blocks "
        "that were not flushed yet.",
    )


def _shortest(load: ShortestLoad, points: str, engine: str) -> MinimalEvidence:
    """The shortest load of checks that failed, or that none was found."""
    checks, size = checks_in_words(load.checks, engine), size_of(load.clients, load.commits)
    if not load.loads:
        return MinimalEvidence(SHORTEST, f"none for {checks}: none could be recorded within {LIMIT_S:.0f} s.")
    if not load.failed:
        loads = f"{load.loads} loads of up to {size}" if load.loads > 1 else f"1 load of {size}"
        where = f"at {whole(load.tried)} of {whole(load.found)} {points}"
        return MinimalEvidence(SHORTEST, f"none for {checks}. Tried within {LIMIT_S:.0f} s: {loads}, {where}.")
    where = f"{whole(load.failed)} of {whole(load.tried)} {points}"
    where += f" (of {whole(load.found)} that were found)" if load.found > load.tried else ""
    there = "At this one" if load.failed == 1 else "At the first of these"
    whose = "Statements" if load.clients == 1 else "Statements of the first client"
    return MinimalEvidence(
        SHORTEST,
        f"{size}. {checks} failed at {where}. {there} the disk held {on_disk(load.keeps)}, and "
        f"{_counted(load.acknowledged, 'commit')} had been acknowledged.",
        (f"{whose}: {'; '.join(load.statements)}.",) if load.statements else (),
    )


def size_of(clients: int, commits: int) -> str:
    return f"{_counted(clients, 'client')} with {_counted(commits, 'commit')}{' each' if clients > 1 else ''}"


def _counted(count: int, word: str) -> str:
    return f"{whole(count)} {word}{'' if count == 1 else 's'}"


def checks_in_words(keys: Sequence[str], engine: str) -> str:
    return listed([f"“{check_title(key, engine)}”" for key in keys])


def _smallest(history: SmallestHistory) -> MinimalEvidence:
    return MinimalEvidence(
        "Steps that are enough",
        f"{'; '.join(history.steps)} (of the history “{history.title}”).",
        (f"To find them, its steps were dropped one by one, and {whole(history.played)} parts were played.",),
    )
