"""Crash points of a server whose logs lie on a disk of their own: both disks together, or one of them alone."""

from dataclasses import dataclass
from time import monotonic

from workers.crash.points.judge_state import PointTold, StateJudge, words_of
from workers.crash.points.lane import JointLane
from workers.crash.points.recorded import Recorded
from workers.crash.points.story import TriedState
from workers.sandbox.disk.recording.filemap import FileMap
from workers.sandbox.disk.recording.joint import JointChoice, JointState, in_order


def joint_choices(load: Recorded, lane: JointLane) -> list[JointChoice]:
    roles = [FileMap.of(states, disk).role for states, disk in zip(lane.states.disks, lane.disks, strict=True)]
    return in_order(lane.states, roles, load.setup.seed)


@dataclass(frozen=True)
class JointJudge(StateJudge):
    def attempt_joint(self, lane: JointLane, choice: JointChoice) -> TriedState:
        """Raises SandboxError when the state could not be made."""
        began, state = monotonic(), choice.state
        lane.become(state)
        told = PointTold(state.points[0].moment, state.until_ns, _keeps(state), choice.way, choice.reached)
        return self.judge(lane, told, began)


def _keeps(state: JointState) -> str:
    data, logs = (words_of(point.keeps) for point in state.points)
    return data if data == logs else f"data {data}, logs {logs}"
