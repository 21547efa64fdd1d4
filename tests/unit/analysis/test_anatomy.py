"""The parts of a commit add up to the whole, and what was not measured is not told."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.analysis.anatomy import Anatomy, FlushCost, anatomy
from workers.analysis.not_computable import NotComputable

TWO = {"redo": FlushCost(1, 5.0), "binlog": FlushCost(1, 6.0)}


def test_a_lone_thread_flushes_nearly_all_the_time():
    found = anatomy(1, 80, TWO)
    assert found.whole_ms == pytest.approx(12.5)
    assert found.parts == {"redo flush": 5.0, "binlog flush": 6.0}
    assert found.rest_ms == pytest.approx(1.5)


def test_a_leader_that_is_waited_for_is_a_part_of_its_own_without_its_flushes():
    found = anatomy(64, 3200, TWO, leader_wait_ms=15)
    assert found.whole_ms == 20
    assert found.parts["group leader"] == 4
    assert found.rest_ms == 5


def test_a_flush_that_was_made_before_the_wait_began_is_not_taken_off():
    """A redo log of 5 ms that each session flushes by itself: 15 ms of waiting hold the 6 ms of the binlog alone."""
    found = anatomy(64, 2560, TWO, leader_wait_ms=15, led=("binlog",))
    assert found.parts["group leader"] == 9
    assert found.rest_ms == 5


def test_the_answer_of_a_replica_is_a_part_that_the_wait_for_a_leader_holds_too():
    found = anatomy(1, 80, TWO, replica_wait_ms=1.0)
    assert (found.parts["replica's answer"], found.rest_ms) == (1.0, pytest.approx(0.5))
    led = anatomy(64, 3200, TWO, leader_wait_ms=15, led=("binlog",), replica_wait_ms=3.0)
    assert (led.parts["group leader"], led.rest_ms) == (6, 0)
    assert isinstance(anatomy(1, 80, TWO, replica_wait_ms=3.0), NotComputable), "longer than the commit"


def test_a_leader_takes_no_longer_than_the_flushes_leave():
    assert anatomy(64, 3200, TWO, leader_wait_ms=19, led=("binlog",)).parts["group leader"] == 9


def test_a_wait_shorter_than_the_flushes_leaves_nothing_for_the_leader():
    assert anatomy(64, 3200, TWO, leader_wait_ms=3).parts["group leader"] == 0


def test_anatomy_is_refused_where_flushes_would_take_longer_than_the_commit():
    assert isinstance(anatomy(1, 1000, TWO), NotComputable)
    assert isinstance(anatomy(1, 0, TWO), NotComputable)
    assert isinstance(anatomy(1, 100, {}), NotComputable)


@given(
    threads=st.integers(1, 1024),
    tps=st.floats(1, 1e5),
    redo=st.floats(0, 20),
    binlog=st.floats(0, 20),
    wait=st.none() | st.floats(0, 1000),
    led=st.sampled_from([None, (), ("binlog",), ("redo", "binlog")]),
)
def test_parts_and_rest_are_the_whole(threads, tps, redo, binlog, wait, led):
    found = anatomy(threads, tps, {"redo": FlushCost(1, redo), "binlog": FlushCost(1, binlog)}, wait, led)
    if isinstance(found, Anatomy):
        together = sum(found.parts.values()) + found.rest_ms
        assert found.whole_ms * 0.999 <= together <= found.whole_ms * 1.11
        assert min(*found.parts.values(), found.rest_ms) >= 0


def test_an_anatomy_needs_at_least_one_commit():
    assert anatomy(1, 1.0, {"redo": FlushCost(1, 5.0)}).whole_ms == 1000
    assert isinstance(anatomy(1, 0.0, {"redo": FlushCost(1, 5.0)}), NotComputable)


def test_parts_may_be_larger_than_the_whole_by_as_much_as_the_measurement_is_off():
    assert isinstance(anatomy(1, 1000, {"redo": FlushCost(1, 1.1)}), Anatomy)
    assert isinstance(anatomy(1, 1000, {"redo": FlushCost(1, 1.11)}), NotComputable)


def test_a_rest_shorter_than_a_millisecond_is_told():
    assert anatomy(1, 1000, {"redo": FlushCost(1, 0.75)}).rest_ms == 0.25
