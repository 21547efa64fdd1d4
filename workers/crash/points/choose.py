"""Which crash points of a recorded load are tried, and in which order. A recording and a seed give the same ones."""

from collections.abc import Sequence
from itertools import chain, zip_longest

from workers.sandbox.disk.recording import joint, points
from workers.sandbox.disk.recording.filemap import FileMap
from workers.sandbox.disk.recording.joint import JointChoice, JointStates
from workers.sandbox.disk.recording.points import Role

ONE_AT_RANDOM_OF = 5  # crash points


def choices_of(
    states: JointStates, files: Sequence[FileMap], seed: int, most: int, with_replica: bool = False
) -> list[JointChoice]:
    """`files`: of each disk. `most`: how many a trial tries. `with_replica`: the last disk is that of a replica."""
    roles, at_random = [one.role for one in files], most // ONE_AT_RANDOM_OF
    if with_replica:
        return _with_replica(states, roles, seed, at_random // 2)
    if len(states.disks) > 1:
        return joint.in_order(states, roles, seed, at_random)
    return [joint.of_one(one) for one in points.in_order(states.disks[0], roles[0], seed, at_random)]


def _with_replica(states: JointStates, roles: Sequence[Role], seed: int, at_random: int) -> list[JointChoice]:
    """The replica alone and both together take turns, with so many random ones of each. A primary that loses power
    alone is crashed elsewhere."""
    alone = [joint.of_the_last(states, one) for one in points.in_order(states.disks[-1], roles[-1], seed, at_random)]
    both = [one for one in joint.in_order(states, roles, seed, at_random) if one.way != "one alone"]
    return [one for one in chain.from_iterable(zip_longest(filter(None, alone), both)) if one]
