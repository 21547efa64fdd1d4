"""The block that decides: found by bisection between a violation and a neighbour that passes. The recoveries are made
up; `fails` says which contents violate."""

from types import SimpleNamespace

import pytest

from tests.unit.crash.made_up_recoveries import BEFORE_THE_FLUSH, FILES, Judge, choice, kinds_of, recorded, tried
from tests.unit.crash.recorded_states import LOST, TORN, UNCLEAR, state
from workers.crash.points.shrink import Shrinker
from workers.crash.points.story import DecidingBlock
from workers.crash.points.violations import unlike, violations_of
from workers.crash.verdict import CheckResult
from workers.errors import Cancelled, SandboxError
from workers.sandbox.disk.cache import SECTOR_BYTES
from workers.sandbox.disk.image import BLOCK_BYTES
from workers.sandbox.disk.recording.filemap import FILE_SYSTEM
from workers.sandbox.disk.recording.joint import JointChoice, JointPoint, JointStates
from workers.sandbox.disk.recording.points import Reached
from workers.sandbox.disk.recording.states import Torn

MORE = CheckResult("order", "invalid", 1, "A later transaction is there without an earlier one.")


@pytest.fixture
def states(tmp_path):
    return recorded(tmp_path)


def found(states, fails, *choices, bad=LOST, judge=Judge):
    shrinker = Shrinker(judge(fails), SimpleNamespace(states=JointStates([states])), [FILES])
    return tuple(block for _, block in shrinker.all(kinds_of(tried(one, bad) for one in choices)) if block)


def test_a_block_whose_write_is_missing_decides(states):
    one = choice(states, "durable")
    assert found(states, lambda disk: [] if disk.get(1) == b"y" else [LOST], one) == (
        DecidingBlock(
            moment=BEFORE_THE_FLUSH, keeps="durable", checks=("lost-engine",), path="data/ib_logfile0",
            offset=8 * BLOCK_BYTES, role="redo", arrived=False, recoveries=4,
        ),
    )  # fmt: skip


def test_a_block_whose_write_got_through_decides(states):
    """It belongs to no file: its place is that on the disk."""
    one = choice(states, "written")
    [block] = found(states, lambda disk: [LOST] if disk.get(3) == b"z" else [], one)
    assert (block.path, block.offset, block.role) == ("", 3 * BLOCK_BYTES, FILE_SYSTEM)
    assert (block.arrived, block.keeps, block.recoveries) == (True, "written", 4)


def test_a_content_that_passes_when_it_is_recovered_again_has_no_deciding_block(states):
    """Its neighbours may pass by chance, too."""
    shrinker = Shrinker(Judge(lambda disk: []), SimpleNamespace(states=JointStates([states])), [FILES])
    bad = [tried(choice(states, "written"), LOST), tried(choice(states, "durable"), TORN)]
    assert [block for _, block in shrinker.all(kinds_of(bad))] == [None, None] and shrinker.not_again == 2


@pytest.mark.parametrize("deciding", [1, 2, 3])
def test_each_block_can_be_the_one(states, deciding):
    one = choice(states, "durable")
    [block] = found(states, lambda disk: [] if deciding in disk else [LOST], one)
    assert (block.path or block.offset) == ("data/ib_logfile0" if deciding == 1 else deciding * BLOCK_BYTES)
    assert block.recoveries == (3 if deciding == 2 else 4), "a block that did not change was exchanged"


def test_a_write_that_becomes_durable_later_can_be_the_cause(states):
    [block] = found(states, lambda disk: [] if 4 in disk else [LOST], choice(states, "durable"))
    assert (block.offset, block.arrived) == (4 * BLOCK_BYTES, False)


def test_another_check_that_fails_on_the_way_does_not_count(states):
    """Nor one that is unclear."""
    one = choice(states, "durable")
    [block] = found(states, lambda disk: [TORN] if 1 in disk else [LOST], one)
    assert block.path == "data/ib_logfile0"


def test_where_no_neighbour_passes_no_block_is_named(states):
    """The violation, everything written by then, the next three flushes and the last one were tried."""
    told, tried_contents = [], []

    def fails(disk):
        tried_contents.append(disk)
        return [LOST]

    assert found(states, fails, choice(states, "durable"), judge=lambda of: Judge(of, told)) == ()
    assert [sorted(disk) for disk in tried_contents] == [[0], [0, 1, 2, 3], [0, 1, 2, 3], [*range(5)], [*range(6)],
                                                            [*range(6)]]  # fmt: skip
    assert told == ["looking for the disk write that decides"]


def test_commits_that_a_much_later_flush_made_durable_are_searched_there(states):
    """The fourth flush after the violation. Another check that failed at the violation fails everywhere."""
    one = choice(states, "durable")
    unlogged = CheckResult("binlog-only", "invalid", 1, "A transaction is only in the binary log.")
    fails = lambda disk: [unlogged] if disk.get(0) == b"b" or disk.get(0) == b"c" else [LOST, unlogged]  # noqa: E731
    shrinker = Shrinker(Judge(fails), SimpleNamespace(states=JointStates([states])), [FILES])
    [(_, block)] = shrinker.all(violations_of([(state(0.1, LOST, unlogged), one)]))
    assert (block.checks, block.offset, block.arrived) == (("lost-engine",), 0, False)
    ends = [states.recording.events[end].at_ns for _, end in states.flushes]
    assert block.later_s == pytest.approx((ends[4] - one.state.since_ns) / 1e9) and block.later_s > 0


def test_only_lost_commits_are_searched_in_much_later_flushes(states):
    """Another check may pass there by chance."""
    assert found(states, lambda disk: [] if disk.get(0) == b"c" else [TORN], choice(states, "durable"), bad=TORN) == ()


def test_where_the_first_content_that_does_not_pass_is_unclear_no_block_is_named(states):
    """The server does not start with the old block 2 beside the new block 1."""
    unclear = CheckResult("lost-engine", "unknown", 0, "Unclear: the engine could not be read.")

    def fails(disk):
        return [] if {1, 2} <= set(disk) else [unclear] if 1 in disk else [LOST]

    assert found(states, fails, choice(states, "durable")) == ()


def test_a_content_that_cannot_be_made_ends_the_search(states):
    def broken(disk):
        raise SandboxError("no file system any more")

    assert found(states, broken, choice(states, "durable")) == ()


def kinds(*violations):
    return [(sorted(one.failed), one.state.keeps) for one in kinds_of(violations)]


def test_a_violation_of_each_kind_is_examined_other_failed_checks_first(states):
    durable, written = choice(states, "durable"), choice(states, "written")
    passing = [tried(durable), tried(durable, UNCLEAR)]
    violations = [
        tried(durable, LOST, UNCLEAR),
        tried(durable, LOST),
        tried(written, LOST),
        tried(written, TORN),
        tried(durable, LOST, MORE),
    ]
    assert kinds(*passing) == []
    assert kinds(*passing, *violations) == [
        (["lost-engine"], "durable"),
        (["binlog-unreadable"], "written"),
        (["lost-engine", "order"], "durable"),
        (["lost-engine"], "written"),
    ]


def test_after_the_time_for_them_no_further_violation_is_begun(states):
    shrinker = Shrinker(Judge(lambda disk: [LOST]), SimpleNamespace(states=JointStates([states])), [FILES])
    violations = kinds_of(tried(choice(states, keeps), LOST) for keeps in ("durable", "written"))
    assert len(shrinker.all(violations)) == 2 and len(shrinker.all(violations, limit_s=-1.0)) == 1


def test_the_same_failed_checks_because_of_the_same_file_are_told_once(states):
    violations = kinds_of(tried(choice(states, keeps), LOST) for keeps in ("durable", "written", Torn()))
    redo, again, page = (
        DecidingBlock(
            moment=1, keeps="durable", checks=("lost-engine",), path=path, offset=offset, role="redo", arrived=False,
            recoveries=1,
        )
        for path, offset in (("ib_logfile0", 0), ("ib_logfile0", 8192), ("ibdata1", 0))
    )  # fmt: skip
    assert [block for _, block in unlike(zip(violations, [redo, again, page], strict=True))] == [redo, page]
    assert [one for one, _ in unlike(zip(violations, [None, redo, None], strict=True))] == violations[:2]


def test_of_torn_writes_the_sector_is_named(states):
    """The checks pass unless the sector at byte 1,024 of block 2 got through."""
    one = choice(states, Torn(keep_permille=1000))

    class OfSectors(Judge):
        def attempt(self, lane, choice, contents):
            block = contents[0].get(2, bytes(BLOCK_BYTES))
            assert len(block) == BLOCK_BYTES
            return state(0.1, *([LOST] if block[1024:1025] == b"x" else []))

    [block] = found(states, None, one, judge=OfSectors)
    assert (block.path, block.offset, block.n_bytes) == ("", 2 * BLOCK_BYTES + 1024, SECTOR_BYTES)


def test_of_two_disks_the_block_on_one_of_them_is_named(states):
    """The checks pass if block 1 of the second disk holds what was written."""
    joint = JointStates([states, states])
    one = JointChoice(joint.at(JointPoint(BEFORE_THE_FLUSH, ("durable", "durable"))), "together", Reached(0, 0), True)
    judge = Judge(None)
    judge.load.more, judge.load.disks = ("logs",), ("data", "logs")
    judge.attempt = lambda lane, choice, contents: state(
        0.1, *([] if bytes(contents[1].get(1, b""))[:1] == b"y" else [LOST])
    )
    [(_, block)] = Shrinker(judge, SimpleNamespace(states=joint), [FILES, FILES]).all(kinds_of([tried_of_two(one)]))
    assert (block.disk, block.path, block.n_bytes) == ("logs", "data/ib_logfile0", BLOCK_BYTES)


def tried_of_two(one):
    return state(0.1, LOST, moment=one.state.points[-1].moment, keeps="durable", way=one.way), one


def test_a_cancellation_ends_the_search_after_the_recovery_under_way(states):
    """Its server may have been killed, so its outcome says nothing."""
    asked = []

    def fails(disk):
        asked.append(disk)
        return [LOST]

    with pytest.raises(Cancelled):
        found(states, fails, choice(states, "durable"), judge=lambda of: Judge(of, cancelled=lambda: bool(asked)))
    assert len(asked) == 1
