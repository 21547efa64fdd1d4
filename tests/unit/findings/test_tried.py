"""One crash trial: what it lost where, in which time, and whether its server came back."""

import pytest

from tests.unit.findings.tried import tried, unclear

REPLICA, BOTH = "replica-kill", "replica-crash-points"


@pytest.mark.parametrize(
    ("one", "engine", "binlog", "either"),
    [
        (tried(engine=5, binlog=9), 5, 9, 9),
        (tried(engine=9, binlog=5), 9, 5, 9),
        (tried(engine=9, binlog=None), 9, None, 9),
        (tried(engine=0, binlog=None), 0, None, 0),
        (tried(engine=None, binlog=5), None, 5, None),
        (tried(BOTH, engine=3, binlog=1, lost_replica=8), 8, 1, 8),
        (tried(BOTH, engine=8, binlog=1, lost_replica=3), 8, 1, 8),
        (tried(BOTH, engine=0, lost_replica=0), 0, 0, 0),
        (tried(BOTH, engine=None, binlog=None, lost_replica=7), 7, None, 7),
        (tried(BOTH, engine=None, binlog=None), None, None, None),
        (tried(engine=3, lost_replica=8), 3, 0, 3),
        (tried(REPLICA, engine=3, binlog=4, lost_replica=8), 8, 8, 8),
    ],
)
def test_a_trial_lost_the_larger_number_of_engine_and_binlog(one, engine, binlog, either):
    """Of a replica that was crashed, only its own loss counts; of a server with its replica, the worse of both."""
    assert [one.lost(place) for place in ("engine", "binlog", "either")] == [engine, binlog, either]


@pytest.mark.parametrize(
    ("one", "engine", "binlog", "either"),
    [
        (tried(engine=50, binlog=90), 5, 9, 9),
        (tried(engine=90, binlog=50), 9, 5, 9),
        (tried(engine=50, binlog=50, lost_binlog_ms=7), 5, 7, 5),
        (tried(engine=10, binlog=None), 1, None, 1),
        (tried(engine=None, binlog=10), None, 1, 1),
        (tried(engine=0, binlog=0, lost_binlog_ms=7), 0, 7, 0),
        (tried(engine=1, binlog=None, lost_binlog_ms=7), 0.1, 7, 0.1),
        (tried(engine=None, binlog=1, lost_engine_ms=7), 7, 0.1, 0.1),
        (tried(BOTH, engine=50, binlog=90), None, None, None),
        (tried(REPLICA, engine=50, binlog=90), None, None, None),
    ],
)
def test_the_time_of_the_loss_is_that_of_the_log_that_lost_more(one, engine, binlog, either):
    assert [one.lost_ms(place) for place in ("engine", "binlog", "either")] == [engine, binlog, either]


@pytest.mark.parametrize(
    ("one", "down"),
    [
        (tried(engine=5), False),
        (tried(engine=5, recovery_s=None), True),
        (tried(recovery_s=None), False),
        (unclear(recovery_s=None), False),
        (tried("primary-kill", engine=5, recovery_s=None), False),
    ],
)
def test_a_server_stayed_down_if_there_is_a_verdict_and_no_recovery(one, down):
    assert one.stayed_down is down


@pytest.mark.parametrize(
    ("one", "label"),
    [
        (tried(), "nothing lost"),
        (tried(engine=5), "commits lost"),
        (tried(binlog=5), "commits lost"),
        (tried(verdict="invalid", lost_replica=5), "commits lost"),
        (tried(verdict="invalid", phantoms=5), "commits read, then lost"),
        (tried(verdict="invalid"), "another failure"),
        (tried(REPLICA), "replica stopped"),
        (tried(REPLICA, lost_replica=0), "nothing lost"),
        (unclear(), "unclear"),
    ],
)
def test_the_verdict_has_a_label(one, label):
    assert one.verdict_label == label


def test_a_trial_is_decided_unclear_or_not_finished():
    waiting, failed = unclear(verdict="", state="waiting"), unclear(verdict="", state="failed", error="load: no answer")
    each = [tried(), tried(engine=5), unclear(), failed, waiting]
    assert [one.is_decided for one in each] == [True, True, False, False, False]
    assert [one.is_unknown for one in each] == [False, False, True, True, False]
    assert [one.was_completed for one in (*each, unclear(error="evidence: no answer"))] == [True] * 3 + [False] * 3
    assert tried().counts and not tried(repeat_of_id=7).counts
