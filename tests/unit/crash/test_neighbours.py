"""Contents that are compared with a violation, on two disks of which one is seldom flushed."""

from itertools import count

import pytest

from tests.unit.sandbox.recordings import Written
from workers.crash.points.neighbours import later_flushes, neighbours
from workers.sandbox.disk.recording.joint import JointStates
from workers.sandbox.disk.recording.states import CrashPoint, States


@pytest.fixture
def states(tmp_path):
    """The first disk is flushed four times, the second one once at the end."""
    clock, disks = count(1), []
    for name in ("data", "logs"):
        (tmp_path / name).mkdir()
        disks.append(Written(tmp_path / name, clock=clock))
    data, logs = disks
    logs.write(0, b"l")
    for block in range(4):
        data.write(block, b"d")
        data.flush()
    logs.flush()
    return JointStates([States(one.load()) for one in disks])


BAD = (CrashPoint(1, "written"), CrashPoint(1, "written"))


def test_the_next_flushes_of_each_disk_are_compared_though_another_has_fewer(states):
    """A disk without a further flush stays at its last one."""
    found = [tuple(one.moment for one in points) for points in neighbours(states, BAD)]
    assert found == [(1, 1), (1, 1), (3, 3), (6, 3), (9, 3)]


def test_a_disk_that_has_no_event_until_a_later_flush_keeps_what_it_had(states):
    found = [points for _, points in later_flushes(states, BAD)]
    assert [tuple(one.moment for one in points) for points in found] == [(3, 1), (6, 1), (9, 1), (12, 1), (12, 3)]
    assert found[0] == (CrashPoint(3), BAD[1]) and found[-1] == (CrashPoint(12), CrashPoint(3))


def test_a_flush_that_ends_right_after_the_violation_is_the_next_one(states):
    """Event 2 of each disk is the end of its first flush."""
    twice = JointStates([states.disks[0]] * 2)
    *_, first, second, third = neighbours(twice, (CrashPoint(2), CrashPoint(8)))
    assert [[one.moment for one in points] for points in (first, second, third)] == [[3, 9], [6, 12], [9, 12]]
    found = [points for _, points in later_flushes(states, (CrashPoint(3), CrashPoint(2)))]
    assert [tuple(one.moment for one in points) for points in found] == [(6, 2), (9, 2), (12, 2), (12, 3)]
