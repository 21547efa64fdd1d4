"""Which further violations are examined: those that the file of an earlier one decides again are only compared. The
recoveries are made up."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from tests.unit.crash.made_up_recoveries import BEFORE_THE_FLUSH, Judge, choice, recorded, tried
from tests.unit.crash.recorded_states import LOST, TORN
from workers.crash.points.shrink import Shrinker
from workers.crash.points.violations import MOST, MOST_COMPARED, different, violations_of
from workers.crash.setup_and_result import LostWork
from workers.crash.verdict import CheckResult
from workers.sandbox.disk.image import BLOCK_BYTES
from workers.sandbox.disk.recording.filemap import Extent, FileMap
from workers.sandbox.disk.recording.joint import JointStates
from workers.sandbox.disk.recording.states import Torn

OF_TWO = FileMap([Extent(1, 1, 8 * BLOCK_BYTES, "data/ib_logfile0"), Extent(4, 1, 0, "data/one.ibd")])
LAST_FLUSH = 12  # events: block 5 was written and its flush has begun


@pytest.fixture
def states(tmp_path):
    return recorded(tmp_path)


def searched(states, fails, *choices, bad=TORN, lost=0):
    """The shrinker, the violations that were examined with their blocks, and how many contents were recovered."""
    recovered = []

    def noted(disk):
        recovered.append(disk)
        return fails(disk, len(recovered))

    shrinker = Shrinker(Judge(noted), SimpleNamespace(states=JointStates([states])), [OF_TWO])
    every = violations_of((replace(state, lost_engine=LostWork(lost, 1.0)), of) for state, of in
                          (tried(one, bad) for one in choices))  # fmt: skip
    return shrinker, shrinker.all(different(every), every), len(recovered)


def without_redo(disk, recoveries):
    """Fails until block 1 is there."""
    return [] if disk.get(1) == b"y" else [TORN]


@pytest.mark.parametrize(("block", "path"), [(1, "data/ib_logfile0"), (3, "")], ids=["a file", "no file"])
def test_a_violation_that_the_same_file_decides_is_not_searched_again(states, block, path):
    """Two recoveries instead of a bisection: with that file as in the neighbour it passes, and it fails again."""
    both = choice(states, "durable"), choice(states, Torn(keep_permille=0))
    shrinker, ((_, first), (_, again)), recovered = searched(
        states, lambda disk, recoveries: [] if block in disk else [TORN], *both
    )
    assert first is again and first.path == path and shrinker.compared == 1
    assert recovered == first.recoveries + 2


def test_a_violation_that_another_file_decides_is_searched(states):
    """It fails although the file of the earlier one is right."""

    def fails(disk, recoveries):
        half = disk.get(4) == b"l" and disk.get(5) != b"m"
        return [TORN] if half else without_redo(disk, recoveries)

    both = choice(states, "durable"), choice(states, "written", moment=10)
    shrinker, examined, _ = searched(states, fails, *both)
    assert [block.path for _, block in examined] == ["data/ib_logfile0", "data/one.ibd"] and not shrinker.compared


def test_a_write_that_must_not_get_through_is_compared_with_what_was_durable(states):
    """Some sectors of block 3 got through, its first one among them. All of it is no better."""
    torn = choice(states, Torn())
    half = states.blocks(torn.state.points[0])[3]
    assert half[:1] == b"z" and half.count(b"z") < BLOCK_BYTES
    shrinker, ((_, first), (_, again)), _ = searched(
        states, lambda disk, recoveries: [TORN] if disk.get(3) == b"z" else [], choice(states, "written"), torn
    )
    assert first.arrived and again is first and shrinker.compared == 1


def test_a_comparison_does_not_count_where_the_violation_is_not_seen_again(states):
    """It passes with and without the exchange."""
    both = choice(states, "durable"), choice(states, Torn(keep_permille=0))
    shrinker, ((_, first), (_, again)), _ = searched(
        states, lambda disk, recoveries: without_redo(disk, recoveries) if recoveries <= 4 else [], *both
    )
    assert first and again is None
    assert (shrinker.compared, shrinker.not_again) == (0, 1)


def test_of_one_kind_a_further_violation_is_examined_if_another_file_must_decide(states):
    """The file of the first one was written long before. Lost commits are no such violations: settings explain them."""

    def fails(disk, recoveries):
        return [TORN] if (4 in disk and 5 not in disk) or 1 not in disk else []

    first, same, other = (choice(states, "durable", moment) for moment in (BEFORE_THE_FLUSH, 7, LAST_FLUSH))
    _, examined, _ = searched(states, fails, first, same, other)
    assert [violation.choice for violation, _ in examined] == [first, other]
    assert [block.path or block.offset for _, block in examined] == ["data/ib_logfile0", 5 * BLOCK_BYTES]
    _, examined, _ = searched(states, fails, first, same, other, lost=1)
    assert [violation.choice for violation, _ in examined] == [first]


def test_so_many_are_searched_and_so_many_are_compared(states):
    """Those of other rules than the first are all decided by its file."""
    one = choice(states, Torn(keep_permille=0))
    every = violations_of((replace(tried(one, TORN)[0], keeps=f"rule {n}"), one) for n in range(30))

    def examined(fails):
        shrinker = Shrinker(Judge(fails), SimpleNamespace(states=JointStates([states])), [OF_TWO])
        return len(shrinker.all(different(every)))

    assert examined(lambda disk: without_redo(disk, 0)) == 1 + MOST_COMPARED
    assert examined(lambda disk: [TORN]) == MOST
    both = [CheckResult("order", "invalid", 1, "A later one is there."), TORN]
    every[0] = replace(every[0], failed=frozenset({"order"}))
    assert examined(lambda disk: without_redo(disk, 0) and both) == 2 + MOST_COMPARED, "the first two were searched"


def further(states, fails, bad, *choices):
    """How many are examined of two violations, of which the second one is no kind of its own."""
    every = violations_of(tried(one, check) for one, check in zip(choices, bad, strict=True))
    shrinker = Shrinker(Judge(fails), SimpleNamespace(states=JointStates([states])), [OF_TWO])
    return len(shrinker.all(every[:1], every[1:]))


def test_the_file_that_decided_other_checks_says_nothing_about_a_further_violation(states):
    both = choice(states, "durable"), choice(states, "durable", LAST_FLUSH)
    assert further(states, lambda disk: [] if 1 in disk else [LOST], (LOST, TORN), *both) == 1


def test_a_file_that_is_written_next_may_decide_a_further_violation(states):
    """Block 4 was not yet written there, and the next flushes make it durable."""
    both = choice(states, "durable", moment=9), choice(states, "durable")
    assert further(states, lambda disk: [] if 4 in disk else [TORN], (TORN, TORN), *both) == 1
