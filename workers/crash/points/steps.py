"""The steps of a trial that records one load and crashes it at many moments."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from time import monotonic

from workers.crash.chain import Begun
from workers.crash.points.attempts import attempt_all
from workers.crash.points.export.write import keep
from workers.crash.points.joint import JointJudge, joint_choices
from workers.crash.points.judge_state import StateJudge
from workers.crash.points.lane import joint_lanes, lanes
from workers.crash.points.recorded import Recorded, record
from workers.crash.points.shrink import Shrinker
from workers.crash.points.story import PointsResult, PointsStory, TriedState, checks_of, worst_loss
from workers.crash.points.violations import first_violations
from workers.crash.prepare import prepare, start
from workers.crash.verdict import verdict
from workers.sandbox.disk.recording.events import RecordingEnd
from workers.sandbox.disk.recording.filemap import FileMap
from workers.sandbox.disk.recording.joint import JointChoice, JointStates
from workers.sandbox.disk.recording.points import ChosenPoint, in_order
from workers.sandbox.disk.recording.recording import Recording
from workers.sandbox.disk.recording.states import States

ONE_AT_RANDOM_OF = 5  # crash points
ENDS = {
    RecordingEnd.STOPPED: "",
    RecordingEnd.BOUND: "It reached its largest size. No later moment was tried.",
    RecordingEnd.NO_SPACE: "The host's disk was full. No later moment was tried.",
    RecordingEnd.POWER: "The disk lost its power. No later moment was tried.",
    RecordingEnd.BROKEN_OFF: "The process of the disk ended. No later moment was tried.",
}


@dataclass(frozen=True, kw_only=True)
class Attempted(Recorded):
    """Every chosen state was recovered and judged."""

    story: PointsStory
    archives: Mapping[int, bytes]

    def so_far(self) -> PointsResult:
        states = self.story.states
        checks = checks_of(states)
        recoveries = [state.recovery_s for state in states if state.recovery_s is not None]
        found = {
            "verdict": verdict(checks),
            "checks": checks,
            "recovery_s": median(recoveries) if recoveries else None,
            "lost_engine": worst_loss([state.lost_engine for state in states]),
            "lost_binlog": worst_loss([state.lost_binlog for state in states]),
        }
        return PointsResult(**vars(super().so_far()) | found, points=self.story, archives=self.archives)


def steps(begun: Begun) -> Iterator[Begun]:
    yield (started := start(begun))
    yield (prepared := prepare(started))
    yield (recorded := record(prepared))
    yield attempt(recorded)


def attempt(load: Recorded) -> Attempted:
    return _attempt_of_two(load, load.logs_recording) if load.logs_recording else _attempt_of_one(load)


def _attempt_of_two(load: Recorded, logs: Recording) -> Attempted:
    """The block that decides is not looked for, and no violation is exported: it may need a block on each disk."""
    load.timeline.step("choose crash points")
    states = JointStates([States(load.recording), States(logs)])
    ready = joint_lanes(load, states)
    choices = joint_choices(load, ready[0])
    load.timeline.step("crash points")
    began = monotonic()
    judge = JointJudge(load)
    most, limit_s = load.setup.points, load.setup.points_s
    tried = in_time(attempt_all(load.timeline, ready, choices[:most], judge.attempt_joint, limit_s))
    story = _story(load, states.disks, choices, tried, len(ready), monotonic() - began)
    return Attempted(**vars(load), story=story, archives={})


def _attempt_of_one(load: Recorded) -> Attempted:
    load.timeline.step("choose crash points")
    states = States(load.recording)
    ready = lanes(load, states)
    files = FileMap.of(states, ready[0].disk)
    most = load.setup.points
    choices = in_order(states, files.role, load.setup.seed, most // ONE_AT_RANDOM_OF)
    load.timeline.step("crash points")
    began = monotonic()
    judge = StateJudge(load)
    tried = in_time(attempt_all(load.timeline, ready, choices[:most], judge.attempt, load.setup.points_s))
    story = _story(load, [states], choices, tried, len(ready), monotonic() - began)
    violations = first_violations(tried, choices)
    deciding = Shrinker(judge, ready[0], files).all(violations)
    kept, archives = keep(load, states, violations)
    return Attempted(**vars(load), story=replace(story, deciding=deciding, kept=kept), archives=archives)


def _story(
    load: Recorded,
    disks: Sequence[States],
    choices: Sequence[ChosenPoint | JointChoice],
    tried: tuple[TriedState, ...],
    lanes: int,
    took_s: float,
) -> PointsStory:
    first = min((states.recording.log for states in disks), key=lambda log: log.end_ns)
    return PointsStory(
        states=tried,
        pairs=_pairs(choices),
        covered=_pairs(choices[: len(tried)]),
        left=len(choices) - len(tried),
        out_of_time=len(tried) < min(load.setup.points, len(choices)),
        writes=sum(len(states.versions.writes) for states in disks),
        flushes=sum(len(states.flushes) for states in disks),
        recorded_s=load.at_s(first.end_ns),
        ended=ENDS[first.end],
        margin_s=load.margin_s,
        lanes=lanes,
        took_s=took_s,
    )


def in_time(tried: Sequence[TriedState]) -> tuple[TriedState, ...]:
    return tuple(sorted(tried, key=lambda state: (state.at_s, state.moment, state.keeps)))


def _pairs(choices: Sequence[ChosenPoint | JointChoice]) -> int:
    """Distinct pairs of flushed redo log and flushed binlog."""
    return len({choice.reached for choice in choices})
