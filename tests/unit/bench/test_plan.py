from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.bench.plans import plan
from workers.bench.measure import seed_of
from workers.bench.plan import Plan, PlanTarget
from workers.errors import PlanError


def test_every_point_is_measured_once_in_each_repeat():
    cells = list(plan().cells())
    points = Counter((cell.variant.name, cell.threads, cell.repeat) for cell in cells)
    assert len(cells) == plan().size == 2 * 2 * 3
    assert set(points.values()) == {1}
    assert [cell.position for cell in cells] == list(range(len(cells)))


def test_variants_that_are_compared_are_in_one_block():
    two_targets = plan(targets=(PlanTarget(1, "one"), PlanTarget(2, "two")))
    for block in range(2 * 3):
        rivals = [cell for cell in two_targets.cells() if cell.block == block]
        assert len(rivals) == 4
        assert len({(cell.threads, cell.repeat) for cell in rivals}) == 1


@given(st.integers(0, 2**31), st.integers(0, 2**31))
def test_the_order_of_cells_depends_on_the_seed_alone(one, other):
    order = [cell.variant.name for cell in plan(seed=one, repeats=20).cells()]
    again = [cell.variant.name for cell in plan(seed=one, repeats=20).cells()]
    assert order == again
    if one != other:
        assert order != [cell.variant.name for cell in plan(seed=other, repeats=20).cells()]


def test_each_variant_goes_first_about_half_of_the_time():
    """Over many blocks each variant goes first about half of the time."""
    cells = list(plan(repeats=500, threads=(1,)).cells())
    first = Counter(cell.variant.name for cell in cells if cell.position % 2 == 0)
    assert 200 < first["1/1"] < 300


def test_a_stored_plan_is_read_back_unchanged():
    assert Plan.from_dict(plan().as_dict()) == plan()


@pytest.mark.parametrize("wrong", [{}, {"targets": []}, {"name": "x", "targets": [{"id": 1}]}])
def test_a_value_that_is_no_plan_is_refused(wrong):
    with pytest.raises(PlanError, match="not a plan"):
        Plan.from_dict(wrong)


def test_no_two_calls_of_sysbench_share_a_seed():
    """A repeated seed repeats the updates word for word, and those that change nothing commit nothing."""
    measured = [seed_of(plan(), cell) for cell in plan().cells()]
    warm_ups = [seed + 1 for seed in measured]
    assert len(set(measured + warm_ups)) == 2 * len(measured)
    assert all(0 < seed < 2**31 for seed in measured + warm_ups)
