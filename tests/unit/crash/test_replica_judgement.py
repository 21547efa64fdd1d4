"""What two reconnections of a replica say together."""

from workers.crash.evidence import ReplicaSeen
from workers.crash.replica_check import RECONNECTIONS, judge_replicas

FIRST, SECOND = RECONNECTIONS


def seen(moment, state="caught up", rows=0, error=""):
    return ReplicaSeen(moment, state, error, rows)


def test_the_replica_is_valid_if_it_agrees_at_both_moments():
    found = judge_replicas([seen(FIRST), seen(SECOND)])
    assert (found.outcome, found.count) == ("valid", 0)
    assert found.says == "The replica caught up both times and has the same rows."


def test_the_larger_difference_counts():
    found = judge_replicas([seen(FIRST, rows=2), seen(SECOND, rows=7)])
    assert (found.outcome, found.count) == ("invalid", 7)
    assert "2 rows differ" in found.says and "7 rows differ" in found.says


def test_a_replica_that_stopped_counts_for_one_where_rows_are_not_known():
    found = judge_replicas([seen(FIRST, "stopped", None, "1236: gone"), seen(SECOND)])
    assert (found.outcome, found.count) == ("invalid", 1)
    assert "stopped: 1236: gone" in found.says


def test_an_unclear_replica_is_told_with_its_reason():
    late = judge_replicas([seen(FIRST, "unknown", None, "Not caught up within 9 s."), seen(SECOND)])
    assert (late.outcome, late.says) == (
        "unknown", "Whether the replica agrees is unclear: Not caught up within 9 s.",
    )  # fmt: skip
    once = judge_replicas([seen(FIRST)])
    assert (once.outcome, once.says) == (
        "unknown", "Whether the replica agrees is unclear: it was not reconnected both times",
    )  # fmt: skip


def test_without_an_error_none_is_told():
    assert (ReplicaSeen(FIRST, "caught up").error, ReplicaSeen(FIRST, "caught up").other_gtids) == ("", "")
