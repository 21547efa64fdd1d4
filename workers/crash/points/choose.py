"""Which crash points of a recorded load are tried, and in which order. A recording and a seed give the same ones."""

from collections.abc import Sequence

from workers.sandbox.disk.recording import joint, points
from workers.sandbox.disk.recording.filemap import FileMap
from workers.sandbox.disk.recording.joint import JointChoice, JointStates

ONE_AT_RANDOM_OF = 5  # crash points


def choices_of(states: JointStates, files: Sequence[FileMap], seed: int, most: int) -> list[JointChoice]:
    """`files`: of each disk. `most`: how many a trial tries."""
    roles, at_random = [one.role for one in files], most // ONE_AT_RANDOM_OF
    if len(states.disks) > 1:
        return joint.in_order(states, roles, seed, at_random)
    return [joint.of_one(one) for one in points.in_order(states.disks[0], roles[0], seed, at_random)]
