"""Recovers every state of small histories.

Between the ends of two flushes, any subset of the unflushed writes may have reached the disk. All subsets are tried
where at most MOST_UNFLUSHED writes are unflushed, else MOST_SUBSETS of them, drawn with the trial's seed. Of each write
all of it gets through or nothing: torn writes are the matter of recorded loads.
"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from time import monotonic

from workers.crash.binlog.events import BinlogUnknown
from workers.crash.chain import LOG_LINES, Begun, ServerReady
from workers.crash.made import Made
from workers.crash.points.attempts import attempt_all
from workers.crash.points.export.history import KeptState, keep_state
from workers.crash.points.histories import HISTORIES, History
from workers.crash.points.judge_history import ContentPorts, JudgedState, judge_history
from workers.crash.points.lane import Lane, lanes, recover
from workers.crash.points.play import Played, play
from workers.crash.points.recorded import ENDS, NS, words_of
from workers.crash.points.smallest import is_wrong, is_wrong_under, smallest
from workers.crash.points.story import HISTORY, PointsResult, PointsStory, TriedState, with_points
from workers.crash.points.untried import UntriedPoint
from workers.crash.points.violations import MOST_KEPT
from workers.crash.prepare import start
from workers.crash.verdict import verdict
from workers.errors import ServerError
from workers.sandbox.disk.recording.joint import JointStates
from workers.sandbox.disk.recording.states import CrashPoint, DiskState, Only, States
from workers.sandbox.server import Recovery, Sandbox

MOST_UNFLUSHED = 6
MOST_SUBSETS = 64  # of more writes than that
Wanted = Callable[[TriedState], bool]


@dataclass(frozen=True)
class HistoryPorts(ContentPorts):
    """The functions that play a history, recover its states and keep one; tests replace them."""

    start: Callable[[Begun], ServerReady] = start
    play: Callable[[ServerReady, History], Played] = play
    lanes: Callable[[ServerReady, JointStates], Sequence[Lane]] = lanes
    recover: Callable[[Sandbox, Mapping[str, str]], Recovery] = recover
    keep: Callable[[Begun, Played, States, JudgedState], KeptState] = keep_state


PORTS = HistoryPorts()


def is_none(state: TriedState) -> bool:
    return False


@dataclass(frozen=True, kw_only=True)
class Exhausted(Begun):
    story: PointsStory
    archives: Mapping[int, bytes]

    def so_far(self) -> PointsResult:
        return with_points(super().so_far(), self.story, self.archives)


def steps(begun: Begun, histories: Sequence[History] = HISTORIES, ports: HistoryPorts = PORTS) -> Iterator[Begun]:
    """After the plan's time for crash points only the first state of each history is recovered. A wrong state of each
    of the first histories that have one is kept."""
    ends, found, kept = monotonic() + begun.setup.points_s, list[PointsStory](), list[KeptState]()
    for history in histories:
        story, wrong = _with_smallest(begun, history, ends, ports, len(kept) < MOST_KEPT)
        found.append(story)
        kept += [wrong] if wrong else []
        yield _exhausted(begun, found, kept)


def _exhausted(begun: Begun, found: Sequence[PointsStory], kept: Sequence[KeptState]) -> Exhausted:
    points = tuple(replace(one.point, number=number) for number, one in enumerate(kept, 1))
    archives = {number: one.archive for number, one in enumerate(kept, 1) if one.archive}
    return Exhausted(**vars(begun), story=replace(_together(found), kept=points), archives=archives)


def _with_smallest(
    begun: Begun, history: History, ends: float, ports: HistoryPorts, keeps: bool
) -> tuple[PointsStory, KeptState | None]:
    """If it `keeps` one: the first wrong state, of the smallest part of the history whose wrong state could be kept."""
    story, kept = _alone(begun, history, ends, ports, is_wrong if keeps else is_none)

    def play_part(part: History) -> Sequence[TriedState] | None:
        """No state of a part that the server refuses."""
        nonlocal kept
        if monotonic() > ends:
            return None
        wanted = partial(is_wrong_under, part.steps[-1][1])
        try:
            of_part, again = _alone(begun, part, ends, ports, wanted if keeps else is_none)
        except (ServerError, BinlogUnknown):
            return ()
        kept = again if again and (again.archive or not kept) else kept
        return of_part.states

    found = smallest(history, filter(is_wrong, story.states), play_part)
    return replace(story, smallest=(found,) if found else ()), kept


def _alone(
    begun: Begun, history: History, ends: float, ports: HistoryPorts, wanted: Wanted
) -> tuple[PointsStory, KeptState | None]:
    """What was made for it is removed."""
    with Made() as made, made.killed_when(begun.timeline.is_cancelled):
        return exhaust(replace(begun, made=made), history, max(0.0, ends - monotonic()), ports, wanted)


def exhaust(
    begun: Begun,
    history: History,
    limit_s: float,
    ports: HistoryPorts = PORTS,
    wanted: Wanted = is_none,
) -> tuple[PointsStory, KeptState | None]:
    """Every state of that history, on the server that `begun` describes; of those that are `wanted` the first one is
    kept. Raises SandboxError and ServerError."""
    began = monotonic()
    begun = replace(begun, settings={**begun.settings, **history.settings})
    ready = ports.start(begun)
    begun.timeline.step(f"history: {history.title}")
    played = ports.play(ready, history)
    states = JointStates([States(played.recording)])
    every, several = each_state(states.disks[0], begun.setup.seed), ports.lanes(ready, states)
    windows = list(between_flushes(states.disks[0]))

    def attempt(lane: Lane, state: DiskState) -> JudgedState:
        return _judged(lane, begun, played, state, ports)

    begun.timeline.step("crash points")
    found = attempt_all(begun.timeline, several, every, attempt, limit_s)
    judged = sorted(found.tried, key=lambda one: one.tried.in_time)
    first = next((one for one in judged if wanted(one.tried)), None)
    story = PointsStory(
        states=tuple(one.tried for one in judged),
        pairs=0,
        covered=0,
        left=len(found.untried),
        untried=tuple(_untried(played, state) for state in found.untried),
        unmade=found.unmade,
        why_unmade=found.why,
        out_of_time=found.out_of_time,
        writes=len(states.disks[0].versions.writes),
        flushes=len(states.disks[0].flushes),
        recorded_s=(states.end_ns - states.began_ns) / NS,
        ended=ENDS[played.recording.log.end],
        margin_s=0.0,
        lanes=len(several),
        took_s=monotonic() - began,
        windows=len(windows),
        sampled=sum(_are_many(writes) for _, writes in windows),
    )
    return story, ports.keep(begun, played, states.disks[0], first) if first else None


def each_state(states: States, seed: int) -> list[DiskState]:
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


def _are_many(writes: list[int]) -> bool:
    return len(writes) > MOST_UNFLUSHED


def _subsets(writes: list[int], drawn: random.Random) -> Iterator[frozenset[int]]:
    if _are_many(writes):
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
        unmade=sum(one.unmade for one in stories),
        why_unmade=next((one.why_unmade for one in stories if one.why_unmade), ""),
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


def _judged(lane: Lane, begun: Begun, played: Played, state: DiskState, ports: HistoryPorts) -> JudgedState:
    began, allowed = monotonic(), played.allowed(state)
    lane.become(lane.states.blocks([state.point]))

    def recovered() -> tuple[Sandbox, float]:
        return lane.server, ports.recover(lane.server, begun.settings).seconds

    judgement = judge_history(recovered, allowed, ports)
    check = judgement.check(allowed)
    bad = (check,) if judgement.says else ()
    lost = played.lost(state, judgement.held) if judgement.held else None
    lane.server.kill()
    tried = TriedState(
        **vars(_untried(played, state)),
        acknowledged=played.answered(state),
        verdict=verdict((check,)),
        checks=bad,
        passed=() if bad else (HISTORY,),
        lost_engine=lost[0] if lost else None,
        lost_binlog=lost[1] if lost else None,
        recovery_s=judgement.recovery_s,
        took_s=monotonic() - began,
        log_lines=tuple(lane.server.log_text.splitlines()[-LOG_LINES:]) if bad else (),
    )
    return JudgedState(tried, state, judgement.held)


def _untried(played: Played, state: DiskState) -> UntriedPoint:
    return UntriedPoint(
        moment=state.point.moment,
        at_s=(state.until_ns - played.recording.log.began_ns) / NS,  # since its recording began
        keeps=words_of(state.point.keeps),
        way=played.history.title,
        redo=0,
        binlog=0,
    )
