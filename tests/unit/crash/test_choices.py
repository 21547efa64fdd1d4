"""Which crash points of a recorded load are tried."""

from itertools import count
from types import SimpleNamespace

from tests.unit.sandbox.recordings import Written
from workers.crash.points import choose
from workers.crash.points.choose import choices_of
from workers.sandbox.disk.image import BLOCK_BYTES
from workers.sandbox.disk.recording.filemap import Extent, FileMap
from workers.sandbox.disk.recording.joint import JointStates
from workers.sandbox.disk.recording.states import States

BLOCKS = 200
FILES = FileMap([Extent(1, 1, BLOCKS * BLOCK_BYTES, "data/ib_logfile0")])


def recorded(tmp_path, disks):
    clock = count(1)
    for number in range(disks):
        (tmp_path / str(number)).mkdir()
    written = [Written(tmp_path / str(number), BLOCKS, clock=clock) for number in range(disks)]
    for block in range(BLOCKS):
        for one in written:
            one.write(block, b"%c" % (65 + block % 26))
            if block % 10 == 9:
                one.flush()
    for number in range(disks - 1):  # of the last disk only
        written[-1].write(number, b"!")
        written[-1].flush()
    return JointStates([States(one.load()) for one in written])


def ways(tmp_path, disks, most, **more):
    states = recorded(tmp_path, disks)
    found, again = (choices_of(states, [FILES] * disks, seed=7, most=most, **more) for _ in range(2))
    assert found == again, "a recording and a seed give the same ones"
    return [one.way for one in found]


def test_one_of_five_crash_points_is_drawn_at_random(tmp_path):
    """Others repeat a state that is tried already."""
    found = ways(tmp_path, 1, most=50)
    assert found.count("at random") == 10
    assert {"after a flush", "between two writes"} <= set(found) and "one alone" not in found


def test_of_two_disks_each_one_may_crash_alone(tmp_path):
    assert {"together", "one alone"} <= set(ways(tmp_path, 2, most=50))


def test_a_replica_crashes_alone_or_with_its_primary_by_turns(tmp_path):
    """Its primary never crashes alone."""
    found = ways(tmp_path, 2, most=50, with_replica=True)
    assert found[:6:2] == ["the replica alone"] * 3 and "the replica alone" not in found[1:6:2]
    assert {"the replica alone", "together"} <= set(found) and "one alone" not in found


def test_of_a_replica_half_of_the_random_crash_points_are_of_it_alone(monkeypatch):
    asked = []
    for one in (choose.points, choose.joint):
        monkeypatch.setattr(one, "in_order", lambda disks, roles, seed, at_random: asked.append(at_random) or [])
    choices_of(SimpleNamespace(disks=("primary", "replica")), [FILES] * 2, seed=7, most=50, with_replica=True)
    assert asked == [5, 5]


def test_only_the_replica_loses_power_where_it_crashes_alone(tmp_path):
    """Its disk holds no redo log here, and that of its primary does."""
    states = recorded(tmp_path, 2)
    found = choices_of(states, [FILES, FileMap([])], seed=7, most=50, with_replica=True)
    alone = [one for one in found if one.way == "the replica alone"]
    assert {one.reached.redo_bytes for one in alone} == {0}
    assert any(one.reached.redo_bytes for one in found if one.way == "together")
    everything = len(states.disks[0].recording.events)
    assert {one.state.points[0].moment for one in alone} == {everything}
    moments = [one.state.points[1].moment for one in alone]
    assert max(moments) == len(states.disks[1].recording.events) > everything
