"""Recovers every state of small histories.

Between the ends of two flushes, any subset of the unflushed writes may have reached the disk. All subsets are tried
where at most MOST_UNFLUSHED writes are unflushed, else MOST_SUBSETS of them, drawn with the trial's seed. Of each write
all of it gets through or nothing: torn writes are the matter of recorded loads.
"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from time import monotonic

from workers.crash.binlog.events import BinlogUnknown
from workers.crash.chain import Begun, ServerReady
from workers.crash.made import Made
from workers.crash.points.attempts import attempt_all
from workers.crash.points.histories import HISTORIES, History
from workers.crash.points.lane import Lane, lanes, recover
from workers.crash.points.play import Answered, Played, ServerContent, content, holds, play
from workers.crash.points.recorded import ENDS, NS, words_of
from workers.crash.points.smallest import UNDER_WAY, smallest
from workers.crash.points.story import (
    HISTORY,
    PointsResult,
    PointsStory,
    TriedState,
    with_points,
)
from workers.crash.points.untried import UntriedPoint
from workers.crash.prepare import start
from workers.crash.verdict import CheckResult, invalid, valid, verdict
from workers.errors import ServerEnded, ServerError
from workers.sandbox.disk.recording.joint import JointStates
from workers.sandbox.disk.recording.states import CrashPoint, DiskState, Only, States
from workers.sandbox.server import Recovery, Sandbox
from workers.servers.connection import connect
from workers.servers.limited import Connection
from workers.servers.target import Target

MOST_UNFLUSHED = 6
MOST_SUBSETS = 64  # of more writes than that


@dataclass(frozen=True)
class HistoryPorts:
    """The functions that play a history and recover its states; tests replace them."""

    start: Callable[[Begun], ServerReady] = start
    play: Callable[[ServerReady, History], Played] = play
    lanes: Callable[[ServerReady, JointStates], Sequence[Lane]] = lanes
    recover: Callable[[Sandbox, Mapping[str, str]], Recovery] = recover
    connect: Callable[[Target], Connection] = connect
    content: Callable[[Connection, Sandbox], ServerContent] = content
    holds: Callable[[Path, Sequence[str]], bool] = holds


PORTS = HistoryPorts()


@dataclass(frozen=True, kw_only=True)
class Exhausted(Begun):
    """Every state of some histories was recovered and judged."""

    story: PointsStory

    def so_far(self) -> PointsResult:
        return with_points(super().so_far(), self.story)


def steps(begun: Begun, histories: Sequence[History] = HISTORIES) -> Iterator[Begun]:
    """After the plan's time for crash points only the first state of each history is recovered."""
    ends, found = monotonic() + begun.setup.points_s, list[PointsStory]()
    for history in histories:
        found.append(_with_smallest(begun, history, ends))
        yield Exhausted(**vars(begun), story=_together(found))


def _with_smallest(begun: Begun, history: History, ends: float) -> PointsStory:
    def play_part(part: History) -> Sequence[TriedState]:
        """None of a part that the server refuses, or for which no time is left."""
        if monotonic() > ends:
            return ()
        try:
            return _alone(begun, part, ends).states
        except (ServerError, BinlogUnknown):
            return ()

    story = _alone(begun, history, ends)
    found = smallest(history, [one for one in story.states if one.verdict == "invalid"], play_part)
    return replace(story, smallest=(found,) if found else ())


def _alone(begun: Begun, history: History, ends: float) -> PointsStory:
    """What was made for it is removed."""
    with Made() as made, made.killed_when(begun.timeline.is_cancelled):
        return exhaust(replace(begun, made=made), history, max(0.0, ends - monotonic()))


def exhaust(begun: Begun, history: History, limit_s: float, ports: HistoryPorts = PORTS) -> PointsStory:
    """Every state of that history, on the server that `begun` describes. Raises SandboxError and ServerError."""
    began = monotonic()
    begun = replace(begun, settings={**begun.settings, **history.settings})
    ready = ports.start(begun)
    begun.timeline.step(f"history: {history.title}")
    played = ports.play(ready, history)
    states = JointStates([States(played.recording)])
    every, several = each_state(states.disks[0], begun.setup.seed), ports.lanes(ready, states)
    windows = list(between_flushes(states.disks[0]))

    def attempt(lane: Lane, state: DiskState) -> TriedState:
        return _judged(lane, begun, played, state, ports)

    begun.timeline.step("crash points")
    tried = attempt_all(begun.timeline, several, every, attempt, limit_s)
    return PointsStory(
        states=tuple(sorted(tried, key=lambda state: state.in_time)),
        pairs=0,
        covered=0,
        left=len(every) - len(tried),
        untried=tuple(_untried(played, state) for state in every[len(tried) :]),
        out_of_time=len(tried) < len(every),
        writes=len(states.disks[0].versions.writes),
        flushes=len(states.disks[0].flushes),
        recorded_s=(states.end_ns - states.began_ns) / NS,
        ended=ENDS[played.recording.log.end],
        margin_s=0.0,
        lanes=len(several),
        took_s=monotonic() - began,
        windows=len(windows),
        sampled=sum(len(writes) > MOST_UNFLUSHED for _, writes in windows),
    )


def each_state(states: States, seed: int = 0) -> list[DiskState]:
    """Each content once, in time."""
    known: dict[int, DiskState] = {}
    for point in _points(states, seed):
        state = states.at(point)
        known.setdefault(state.digest, state)
    return sorted(known.values(), key=lambda state: state.since_ns)


def _points(states: States, seed: int) -> Iterator[CrashPoint]:
    yield CrashPoint(0)
    yield from (CrashPoint(end + 1) for _, end in states.flushes)
    yield from (CrashPoint(number + 1, "written") for number in states.versions.writes)
    drawn = random.Random(seed)  # noqa: S311
    for moment, writes in between_flushes(states):
        yield from (CrashPoint(moment, Only(chosen)) for chosen in _subsets(writes, drawn))


def between_flushes(states: States) -> Iterator[tuple[int, list[int]]]:
    """The moment before each flush ends, and the end: with the writes that are unflushed then, if there are any."""
    for moment in (*(end for _, end in states.flushes), len(states.recording.events)):
        if writes := states.unflushed(CrashPoint(moment, "written")):
            yield moment, writes


def _subsets(writes: list[int], drawn: random.Random) -> Iterator[frozenset[int]]:
    if len(writes) > MOST_UNFLUSHED:
        for _ in range(MOST_SUBSETS):
            yield frozenset(one for one in writes if drawn.getrandbits(1))
        return
    for size in range(len(writes) + 1):
        yield from map(frozenset, combinations(writes, size))


def _together(stories: Sequence[PointsStory]) -> PointsStory:
    return replace(
        stories[0],
        states=tuple(state for one in stories for state in one.states),
        left=sum(one.left for one in stories),
        untried=tuple(each for one in stories for each in one.untried),
        writes=sum(one.writes for one in stories),
        flushes=sum(one.flushes for one in stories),
        recorded_s=sum(one.recorded_s for one in stories),
        ended=next((one.ended for one in stories if one.ended), ""),
        took_s=sum(one.took_s for one in stories),
        out_of_time=any(one.out_of_time for one in stories),
        windows=sum(one.windows for one in stories),
        sampled=sum(one.sampled for one in stories),
        smallest=tuple(each for one in stories for each in one.smallest),
    )


def _judged(lane: Lane, begun: Begun, played: Played, state: DiskState, ports: HistoryPorts) -> TriedState:
    began, allowed = monotonic(), played.allowed(state)
    lane.become(lane.states.blocks([state.point]))
    says, recovery_s = complaint(lane, begun, allowed, ports)
    check = invalid(1, f"{UNDER_WAY.format(allowed[-1].statement)}{says}") if says else valid("")
    check = replace(check, key=HISTORY)
    bad: tuple[CheckResult, ...] = (check,) if says else ()
    lane.server.kill()
    return TriedState(
        **vars(_untried(played, state)),
        acknowledged=played.answered(state),
        verdict=verdict((check,)),
        checks=bad,
        passed=() if bad else (HISTORY,),
        lost_engine=None,
        lost_binlog=None,
        recovery_s=recovery_s,
        took_s=monotonic() - began,
        log_lines=tuple(lane.server.log_text.splitlines()) if bad else (),
    )


def _untried(played: Played, state: DiskState) -> UntriedPoint:
    return UntriedPoint(
        moment=state.point.moment,
        at_s=_at_s(played, state),
        keeps=words_of(state.point.keeps),
        way=played.history.title,
        redo=0,
        binlog=0,
    )


def _at_s(played: Played, state: DiskState) -> float:
    """Since its recording began."""
    return (state.until_ns - played.recording.log.began_ns) / NS


def complaint(
    lane: Lane, begun: Begun, allowed: Sequence[Answered], ports: HistoryPorts = PORTS
) -> tuple[str, float | None]:
    """Why this state recovers wrong, "" when it recovers right; and the seconds of the recovery."""
    try:
        took_s = ports.recover(lane.server, begun.settings).seconds
    except ServerEnded as ended:
        return f"The server does not come back: {ended.message}", None
    try:
        with ports.connect(lane.server.target) as connection:
            found = ports.content(connection, lane.server)
        alike = [mark for mark in allowed if mark.content == found]
        if any(ports.holds(lane.server.datadir, mark.wrote) for mark in alike):
            return "", took_s
    except (ServerError, BinlogUnknown) as damaged:
        return f"Its content cannot be read: {damaged.message}", took_s
    if alike:
        return f"The binary log holds another transaction than the engine, which has {alike[0].statement}.", took_s
    return "; ".join(dict.fromkeys(_difference(found, mark) for mark in allowed)), took_s


def _difference(found: ServerContent, mark: Answered) -> str:
    wanted, where = mark.content, f"after {mark.statement or 'the beginning'}"
    parts = []
    if found.tables != wanted.tables:
        parts.append(f"tables {_short(found)} instead of {_short(wanted)}")
    if found.prepared != wanted.prepared:
        parts.append(f"prepared {found.prepared} instead of {wanted.prepared}")
    if found.logged != wanted.logged:
        parts.append(f"{found.logged} transactions in the binlog instead of {wanted.logged}")
    return f"{where}: {', '.join(parts)}"


def _short(content: ServerContent) -> str:
    return ", ".join(f"{name}: {len(rows)} rows" for name, _, rows in content.tables)
