"""The steps of a trial that records one load and crashes it at many moments."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic

from workers.crash.chain import Begun
from workers.crash.points.attempts import Attempts, attempt_all
from workers.crash.points.choose import choices_of
from workers.crash.points.export.recording import keep_recording
from workers.crash.points.export.write import keep
from workers.crash.points.judge_state import StateJudge, point_of
from workers.crash.points.kills import kill_points_of
from workers.crash.points.lane import Lane, lane_with, lanes
from workers.crash.points.other_settings import tried_otherwise
from workers.crash.points.recorded import Recorded, record, why_ended
from workers.crash.points.shortest import Again, Search, Wanted
from workers.crash.points.shrink import Shrinker
from workers.crash.points.story import RECORDING, PointsResult, PointsStory, TriedState, with_points
from workers.crash.points.violations import MOST, MOST_KEPT, Violation, different, unlike, violations_of
from workers.crash.prepare import prepare, start
from workers.errors import SandboxError
from workers.sandbox.disk.recording.filemap import FileMap
from workers.sandbox.disk.recording.joint import JointChoice, JointStates
from workers.sandbox.disk.recording.states import States

Tried = tuple[TriedState, JointChoice]


@dataclass(frozen=True, kw_only=True)
class Attempted(Recorded):
    """`ready`, `files`: with which the crash points were tried; `violations`: all that were found."""

    ready: Sequence[Lane]
    files: Sequence[FileMap]
    violations: Sequence[Violation]
    story: PointsStory
    archives: Mapping[int, bytes] = field(default_factory=dict)

    def so_far(self) -> PointsResult:
        return with_points(super().so_far(), self.story, self.archives)


def steps(begun: Begun) -> Iterator[Begun]:
    yield (started := start(begun))
    yield (prepared := prepare(started))
    yield (recorded := record(prepared))
    yield (attempted := attempt(recorded))
    yield examine(attempted)


def attempt(load: Recorded) -> Attempted:
    ready, files, choices = prepared_points(load)
    load.timeline.step("crash points")
    began = monotonic()
    found = _tried(load, ready, choices, load.setup.points_s)
    story = story_of(load, ready[0].states, choices, found, len(ready), monotonic() - began)
    return Attempted(**vars(load), ready=ready, files=files, violations=violations_of(found.tried), story=story)


def examine(load: Attempted) -> Attempted:
    """What decides the violations, and which of them are kept. The verdict stands before."""
    ready, states, every = load.ready, load.ready[0].states, load.violations
    violations, shrinker = different(every), Shrinker(StateJudge(load), ready[0], load.files)
    if violations and not load.is_killed:
        load.timeline.step("violations")
    # A kill takes no write, so no block decides.
    examined = [(one, None) for one in violations] if load.is_killed else shrinker.all(violations, every)
    kinds = unlike(examined)
    kept, archives = keep(load, states, [violation for violation, _ in kinds[:MOST_KEPT]])
    recording, archive = keep_recording(load) if load.setup.keep_recording else (None, b"")
    otherwise = [violation for violation, _ in examined[:MOST]]
    settings = tried_otherwise(load, ready[0], otherwise, _states_of)
    search = Search(load, again, len(kept) + 1)
    shortest = search.all(violations)
    told = replace(
        load.story,
        deciding=tuple(block for _, block in kinds if block),
        kept=(*kept, *search.kept),
        settings=settings,
        shortest=shortest,
        violations=len(violations) + sum(violation not in violations for violation, _ in examined),
        examined=0 if load.is_killed else len(examined),
        not_again=shrinker.not_again,
        recording=recording,
    )
    recorded = {RECORDING: archive} if archive else {}
    return replace(load, story=told, archives={**archives, **search.archives, **recorded})


def _states_of(begun: Begun) -> list[TriedState]:
    """Of a load that is recorded now."""
    load = record(prepare(start(begun)))
    ready, _, choices = prepared_points(load)
    return [state for state, _ in _tried(load, ready, choices, load.setup.points_s).tried]


def again(begun: Begun, wanted: Wanted, until: float) -> Again:
    """A load that is recorded now, and its crash points that are wanted."""
    load = record(prepare(start(begun)))
    ready, _, choices = prepared_points(load)
    chosen = [one for one in choices if wanted(one)]
    tried = _tried(load, ready, chosen, max(0.0, until - monotonic())).tried
    return Again(load, ready[0].states, violations_of(tried), len(tried), len(chosen))


def prepared_points(load: Recorded) -> tuple[Sequence[Lane], Sequence[FileMap], list[JointChoice]]:
    """The lanes, the files on each disk, and the crash points in the order in which they are tried."""
    load.timeline.step("choose crash points")
    states = JointStates([States(one) for one in (load.recording, *load.more)])
    ready = (lane_with(load.replica, load, states),) if load.replica else lanes(load, states)
    if load.is_killed:
        return ready, (), kill_points_of(states, load.stops, load.setup.seed)
    files = maps_of(ready[0])
    return ready, files, choices_of(states, files, load.setup.seed, load.setup.points, load.replica is not None)


def _tried(
    load: Recorded, ready: Sequence[Lane], choices: Sequence[JointChoice], limit_s: float
) -> Attempts[JointChoice, Tried]:
    """In time. SandboxError: none could be made."""
    judge = StateJudge(load)

    def attempt(lane: Lane, choice: JointChoice) -> Tried:
        return judge.attempt(lane, choice), choice

    found = attempt_all(load.timeline, ready, choices[: load.setup.points], attempt, limit_s)
    if found.unmade and not found.tried:
        raise SandboxError(f"No crash point could be made: {found.why}")
    return replace(found, tried=sorted(found.tried, key=lambda one: one[0].in_time))


def maps_of(lane: Lane) -> list[FileMap]:
    """Of each disk. They are left in another state."""
    return [FileMap.of(states, disk) for states, disk in zip(lane.states.disks, lane.disks, strict=True)]


def story_of(
    load: Recorded,
    joint_states: JointStates,
    choices: Sequence[JointChoice],
    found: Attempts[JointChoice, Tried],
    lanes: int,
    took_s: float,
) -> PointsStory:
    disks, untried = joint_states.disks, [*found.untried, *choices[load.setup.points :]]
    logs = [states.recording.log for states in disks]
    return PointsStory(
        states=tuple(state for state, _ in found.tried),
        pairs=0 if load.is_killed else _pairs(choices),
        covered=0 if load.is_killed else _pairs([choice for _, choice in found.tried]),
        left=len(untried),
        untried=tuple(point_of(load, choice) for choice in untried),
        unmade=found.unmade,
        why_unmade=found.why,
        out_of_time=found.out_of_time,
        writes=sum(len(states.versions.writes) for states in disks),
        flushes=sum(len(states.flushes) for states in disks),
        recorded_s=load.at_s(joint_states.end_ns),
        ended=why_ended(logs, load.replica is not None),
        margin_s=load.margin_s,
        bracket_s=load.bracket_s,
        lanes=lanes,
        took_s=took_s,
    )


def _pairs(choices: Sequence[JointChoice]) -> int:
    """Distinct pairs of flushed redo log and flushed binlog."""
    return len({choice.reached for choice in choices})
