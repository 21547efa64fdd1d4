"""Minimal evidence of a violation, in words: the block, the settings and the load that are enough for it."""

from collections.abc import Iterator, Sequence

from dashboard.text.numbers import duration, whole
from dashboard.text.words import listed
from workers.bench.trial_kinds import CHECK_TITLES
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

ALONE = "Each of these settings was changed alone. If a check still fails then, another setting makes it fail too."
SHOWN_OTHER = 3  # crash points of another setting at which a check did not pass
DISKS = {
    "durable": "only what was flushed",
    "written": "everything that reached it, flushed or not",
    KILLED: "all that the files were given",
    "torn": "a part of the unflushed sectors",
    "only": "a part of the unflushed writes",
}


def on_disk(keeps: str) -> str:
    return DISKS.get(keeps, keeps)


def evidence(story: PointsStory) -> Iterator[str]:
    yield from map(_decides, story.deciding)
    points = f"{noun_of(story.states)}s"
    yield from (_otherwise(one, points) for one in story.settings)
    if sum(not one.same for one in story.settings) > 1 and any(one.failed for one in story.settings):
        yield ALONE
    yield from (_shortest(one, points) for one in story.shortest)
    yield from map(_smallest, story.smallest)


def _decides(block: DecidingBlock) -> str:
    """Minimal evidence, in words."""
    checks = checks_in_words(block.checks)
    place = f"{block.path}, byte {whole(block.offset)}" if block.path else f"byte {whole(block.offset)} of the disk"
    if block.arrived:
        how = "If nothing of its write had got through, the checks would have passed"
    else:
        how = "If its write had got through, the checks would have passed"
    tried = f"{whole(block.recoveries)} recoveries found it"
    what = "One sector of 512 bytes" if block.n_bytes < BLOCK_BYTES else "One block of 4 KiB"
    disk = f"on the disk of the {block.disk}, " if block.disk else ""
    later = "" if block.later_s is None else f" A flush {duration(block.later_s)} later made these commits durable."
    return f"{what} made {checks} fail: {disk}{place} ({block.role}). {how}.{later} {tried}."


def _otherwise(one: OtherSetting, points: str) -> str:
    """A setting that was tried with its safer value, in words."""
    changed = f"With {one.name}={one.other} instead of {one.ran}"
    where = "contents of the disk, recovered again" if one.same else f"{points} of another load"
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
    checks = checks_in_words(keys)
    return f" At {duration(point.at_s)} ({on_disk(point.keeps)}) {how}: {checks}. {point.says}"


def _shortest(load: ShortestLoad, points: str) -> str:
    """The shortest load of checks that failed, or that none was found, in words."""
    checks, size = checks_in_words(load.checks), size_of(load.clients, load.commits)
    if not load.loads:
        return f"No shorter load was found for {checks}: none could be recorded within {LIMIT_S:.0f} s."
    if not load.failed:
        loads = f"{load.loads} loads of up to {size}" if load.loads > 1 else f"1 load of {size}"
        where = f"at {whole(load.tried)} of {whole(load.found)} {points}"
        return f"No shorter load was found for {checks}. Tried within {LIMIT_S:.0f} s: {loads}, {where}."
    where = f"{whole(load.failed)} of {whole(load.tried)} {points}"
    where += f" (of {whole(load.found)} that were found)" if load.found > load.tried else ""
    whose = "Statements" if load.clients == 1 else "Statements of the first client"
    sent = f" {whose}: {'; '.join(load.statements)}." if load.statements else ""
    return (
        f"The shortest load found that makes {checks} fail: {size}, at {where}. At one of these the disk held "
        f"{on_disk(load.keeps)}, and {_counted(load.acknowledged, 'commit')} had been acknowledged.{sent}"
    )


def size_of(clients: int, commits: int) -> str:
    return f"{_counted(clients, 'client')} with {_counted(commits, 'commit')}{' each' if clients > 1 else ''}"


def _counted(count: int, word: str) -> str:
    return f"{whole(count)} {word}{'' if count == 1 else 's'}"


def checks_in_words(keys: Sequence[str]) -> str:
    return listed([f"“{CHECK_TITLES.get(key, key)}”" for key in keys])


def _smallest(history: SmallestHistory) -> str:
    return (
        f"Of the history “{history.title}” these steps are enough: {'; '.join(history.steps)}. "
        f"To find them, its steps were dropped one by one, and {whole(history.played)} parts were played."
    )
