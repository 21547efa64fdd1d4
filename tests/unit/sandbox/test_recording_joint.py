"""Two disks with one clock that crash at one moment, together or one alone."""

import tempfile
from collections import Counter
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.sandbox.recordings import Written
from workers.errors import SandboxError
from workers.sandbox.disk.image import BLOCK_BYTES
from workers.sandbox.disk.recording.events import RecordingEnd
from workers.sandbox.disk.recording.joint import JointPoint, JointStates, in_order, of_the_last
from workers.sandbox.disk.recording.points import Reached
from workers.sandbox.disk.recording.points import in_order as of_one_disk
from workers.sandbox.disk.recording.states import CrashPoint, States

BLOCKS = 2
steps = st.tuples(st.integers(0, 1), st.sampled_from(["write", "write", "flush"]), st.integers(0, 1))


def two(folder: Path) -> tuple[Written, Written]:
    clock = count(1)
    for name in ("first", "second"):
        (folder / name).mkdir()
    return Written(folder / "first", BLOCKS, clock=clock), Written(folder / "second", BLOCKS, clock=clock)


def content(states: States, point: CrashPoint) -> bytes:
    blocks = states.blocks(point)
    return b"".join(bytes(blocks.get(number, bytes(BLOCK_BYTES))) for number in range(BLOCKS))


def possible(states: States, at_ns: int, disk: bytes) -> bool:
    """Whether some prefix that holds everything durable has this content at that time."""
    moment = states.recording.moment(at_ns)
    durable = states.durable(CrashPoint(moment))
    return any(content(states, CrashPoint(one, "written")) == disk for one in range(durable, moment + 1))


@given(st.lists(steps, max_size=10), st.data())
def test_a_joint_content_is_possible_as_long_as_each_of_its_parts(script, data):
    with tempfile.TemporaryDirectory() as folder:
        written = two(Path(folder))
        for number, (disk, name, block) in enumerate(script):
            if name == "write":
                written[disk].write(block, bytes([number + 1]))
            else:
                written[disk].flush()
        joint = JointStates([States(one.load()) for one in written])
    at_ns = data.draw(st.integers(joint.began_ns, joint.end_ns - 1))
    keeps = data.draw(st.tuples(*[st.sampled_from(["durable", "written"])] * 2))
    state = joint.at(JointPoint(at_ns, keeps))
    parts = [content(disk, point) for disk, point in zip(joint.disks, state.points, strict=True)]
    assert state.since_ns <= at_ns < state.until_ns <= joint.end_ns
    for time_ns in range(state.since_ns, state.until_ns):
        assert all(possible(disk, time_ns, part) for disk, part in zip(joint.disks, parts, strict=True))
    if state.until_ns < joint.end_ns:
        assert not all(possible(disk, state.until_ns, part) for disk, part in zip(joint.disks, parts, strict=True))


def test_two_disks_crash_together_or_one_alone(tmp_path):
    """Data on the first disk, redo on the second: a page is durable before its redo only when one alone is lost."""
    data, redo = two(tmp_path)
    redo.write(0, b"r")
    redo.flush()
    data.write(0, b"d")
    joint = JointStates([States(data.load()), States(redo.load())])
    roles = (lambda block: "data", lambda block: "redo")
    choices = in_order(joint, roles, 1)
    assert len({choice.state.digests for choice in choices}) == len(choices)
    contents = {
        tuple(content(disk, point)[:1] for disk, point in zip(joint.disks, choice.state.points, strict=True))
        for choice in choices
    }
    assert contents == {(b"\0", b"\0"), (b"\0", b"r"), (b"d", b"r")}
    assert Counter(choice.reached for choice in choices if choice.new) == {Reached(0, 0): 1, Reached(BLOCK_BYTES, 0): 1}
    assert choices == in_order(joint, roles, 1)


@pytest.mark.parametrize("seed", range(10))
def test_a_state_that_was_tried_before_reaches_nothing(tmp_path, seed):
    """The same redo is written twice: then only a page tells the states apart."""
    both, _ = two(tmp_path)
    for block, content in ((0, b"r"), (0, b"r"), (1, b"d")):
        both.write(block, content)
        both.flush()
    choices = in_order(JointStates([States(both.load())]), [lambda block: ("redo", "data")[block]], seed)
    assert {choice.reached for choice in choices} == {choice.reached for choice in choices if choice.new}


def test_a_replica_alone_has_no_crash_point_after_the_end_of_its_primarys_recording(tmp_path):
    """What the primary wrote later is not known: the replica would be ahead of it."""
    primary, replica = two(tmp_path)
    primary.write(0, b"p")
    replica.write(0, b"r")
    replica.flush()
    primary.recorder.stop()
    replica.write(1, b"s")
    replica.flush()
    joint = JointStates([States(one.load()) for one in (primary, replica)])
    alone = [of_the_last(joint, one) for one in of_one_disk(joint.disks[1], lambda block: "data", 1)]
    contents = {content(joint.disks[1], one.state.points[1])[::BLOCK_BYTES] for one in alone if one}
    assert contents == {b"\0\0", b"r\0"} and None in alone
    assert {one.state.until_ns for one in alone if one} == {joint.end_ns}


def test_a_replica_alone_is_judged_at_the_end_of_its_primary_also_if_its_own_recording_ended_first(tmp_path):
    primary, replica = two(tmp_path)
    primary.write(0, b"p")
    replica.write(0, b"r")
    replica.recorder.stop(RecordingEnd.BOUND)
    primary.write(1, b"q")
    joint = JointStates([States(one.load()) for one in (primary, replica)])
    first, last = joint.disks
    alone = [of_the_last(joint, one) for one in of_one_disk(last, lambda block: "data", 1)]
    assert {content(last, one.state.points[1])[::BLOCK_BYTES] for one in alone} == {b"\0\0", b"r\0"}
    assert {content(first, one.state.points[0])[::BLOCK_BYTES] for one in alone} == {b"pq"}
    assert {one.state.until_ns for one in alone} == {first.recording.log.end_ns} != {joint.end_ns}


@pytest.mark.parametrize("why", RecordingEnd)
def test_a_replica_is_crashed_alone_only_if_the_recording_of_its_primary_holds_the_last_writes(tmp_path, why):
    """A recording that ended by itself lacks the writes until the primary was stopped."""
    primary, replica = two(tmp_path)
    primary.write(0, b"p")
    replica.write(0, b"r")
    primary.recorder.stop(why)
    joint = JointStates([States(one.load()) for one in (primary, replica)])
    alone = [of_the_last(joint, one) for one in of_one_disk(joint.disks[1], lambda block: "data", 1)]
    assert [one is not None for one in alone] == [why is RecordingEnd.STOPPED] * 2
    assert in_order(joint, [lambda block: "data"] * 2, 1), "both together are tried anyhow"


def test_recordings_without_a_common_moment_are_refused(tmp_path):
    first = tmp_path / "a"
    first.mkdir()
    clock = count(1)
    early = States(Written(first, BLOCKS, clock=clock).load())
    late = tmp_path / "b"
    late.mkdir()
    with pytest.raises(SandboxError, match="no moment in common"):
        JointStates([early, States(Written(late, BLOCKS, clock=clock).load())])
