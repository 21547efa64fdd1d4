"""Bounds of throughput: they hold for the servers of LAB.md, whose fsync took 5 ms."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.analysis.ceiling import Demand, ceiling
from workers.analysis.not_computable import NotComputable

ONE_LOG = {"redo": Demand(1, 5.0)}
TWO_LOGS = {"redo": Demand(1, 5.0), "binlog": Demand(1, 5.0)}
OLD = {"redo": Demand(2, 10.0), "binlog": Demand(1, 5.0)}


def test_the_ceiling_of_one_log_grows_with_threads_only_if_flushes_are_shared():
    bound = ceiling(ONE_LOG)
    assert bound.shared_tps(64) == pytest.approx(12_800)
    assert bound.unshared_tps(64) == bound.unshared_tps(1) == pytest.approx(200)


def test_two_logs():
    bound = ceiling(TWO_LOGS)
    assert [bound.shared_tps(n) for n in (1, 64)] == pytest.approx([100, 6400])
    assert [bound.unshared_tps(n) for n in (1, 2, 64)] == pytest.approx([100, 200, 200])


@pytest.mark.parametrize(("threads", "tps"), [(1, 91), (16, 944), (64, 3303)])
def test_5_6_stays_below_its_ceiling_and_above_the_one_without_group_commit(threads, tps):
    bound = ceiling(TWO_LOGS)
    assert 0.4 < bound.efficiency(threads, tps) < 1
    assert threads == 1 or tps > bound.unshared_tps(threads)


@pytest.mark.parametrize("tps", [62, 184, 180])
def test_5_5_stays_below_the_ceiling_without_group_commit(tps):
    only_the_binlog = ceiling({"binlog": OLD["binlog"]})
    assert tps <= only_the_binlog.unshared_tps(64) == pytest.approx(200)
    assert ceiling(OLD).fsyncs == 3
    assert ceiling(OLD).shared_tps(1) == pytest.approx(66.7, rel=0.01)


def test_logs_that_a_commit_does_not_wait_for_do_not_count():
    assert ceiling({"redo": Demand(0.01, 0.05), "binlog": Demand(1, 5.0)}).demand_ms == 5
    assert isinstance(ceiling({"redo": Demand(0.001, 0.1)}), NotComputable)
    assert isinstance(ceiling({}), NotComputable)
    assert isinstance(ceiling({"redo": Demand(1, 0.0)}), NotComputable)


@given(
    st.dictionaries(st.sampled_from(("redo", "binlog")), st.builds(Demand, st.floats(0.5, 3), st.floats(0.001, 100)),
                    min_size=1),
    st.integers(1, 1024),
)  # fmt: skip
def test_without_group_commit_is_never_above_with_it(demands, threads):
    bound = ceiling(demands)
    assert bound.unshared_tps(threads) <= bound.shared_tps(threads)
    assert bound.unshared_tps(threads) <= bound.unshared_tps(threads + 1) * 1.000001
    assert bound.efficiency(threads, bound.shared_tps(threads)) == pytest.approx(1)


def test_without_group_commit_the_slower_log_is_the_limit():
    bound = ceiling({"redo": Demand(1, 2.0), "binlog": Demand(1, 8.0)})
    assert bound.unshared_tps(64) == pytest.approx(1000 / 8)
    assert bound.shared_tps(1) == pytest.approx(100)


def test_half_an_fsync_per_commit_is_waited_for():
    assert ceiling({"redo": Demand(0.5, 5.0)}).fsyncs == 0.5
    assert isinstance(ceiling({"redo": Demand(0.49, 5.0)}), NotComputable)


def test_no_ceiling_is_computed_if_the_fsyncs_of_one_log_took_no_time():
    assert isinstance(ceiling({"redo": Demand(1, 0.0), "binlog": Demand(1, 8.0)}), NotComputable)
