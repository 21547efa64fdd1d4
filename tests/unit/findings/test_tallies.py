"""The trials of one setting under one crash kind: what is counted, and the sentence about them."""

import pytest

from dashboard.findings.crash.rate import rate
from dashboard.findings.crash.statistics import of, tallies
from tests.unit.findings.tried import plain, setting, tally, tried, unclear
from workers.crash.points.story import PointCounts

FAULT, REPLICA = "primary-host-loss", "replica-kill"
WAITING = unclear(verdict="", state="waiting")


def test_the_losses_of_a_log_are_counted_where_they_are_known():
    known = [tried(engine=0), tried(engine=40), tried(engine=20), tried(engine=None, binlog=7), unclear(), WAITING]
    found = tally(*known).loss("engine")
    assert (found.mean, found.median, found.least, found.most) == (20, 30, 0, 40)
    assert (found.median_ms, found.most_ms) == (3, 4)
    assert (found.rate.k, found.rate.n) == (2, 3)
    assert found.rate == rate(2, 3, 2), "two cannot tell"
    nothing = tally(tried(), tried()).loss("engine")
    assert (nothing.median, nothing.median_ms, nothing.most, nothing.rate.k) == (0, None, 0, 0)
    assert tally(tried(engine=None), unclear()).loss("engine") is None
    unknown_time = tally(tried(engine=40, lost_engine_ms=None), tried(engine=20)).loss("engine")
    assert (unknown_time.median_ms, unknown_time.most_ms) == (2, None)


def test_a_tally_tells_decided_unclear_and_open_trials_apart():
    found = tally(tried(), tried(engine=5), unclear(), WAITING, WAITING)
    assert (len(found.decided), found.unknown, found.open) == (2, 1, 2)
    assert found.invalid == rate(1, 2, 1), "the unclear trial may have failed"


@pytest.mark.parametrize(
    ("trials", "disagrees"),
    [
        ([tried(), tried(engine=5, binlog=5)], False),
        ([tried(engine=5, binlog=5), tried(engine=5, binlog=4)], True),
        ([tried(engine=5, binlog=None), tried(engine=None, binlog=5), unclear()], False),
    ],
)
def test_engine_and_binlog_disagree_if_a_trial_lost_different_numbers(trials, disagrees):
    assert tally(*trials).disagrees is disagrees


def test_what_happened_beside_a_loss_is_counted_in_trials():
    found = tally(
        tried(FAULT, phantoms=3, rejoin="stopped", rejoin_differs=4, fell_back=True, recovery_s=1),
        tried(FAULT, phantoms=1, rejoin_differs=1, recovery_s=4),
        tried(FAULT, phantoms=0, rejoin_differs=0, fell_back=False, recovery_s=3),
        tried(FAULT, recovery_s=None),
    )
    assert (found.phantoms, found.differs, found.fell_back, found.back_s, found.stopped) == ((2, 3), 2, 1, 3, 0)
    stopped = tried(REPLICA, rejoin="stopped", rejoin_differs=4)
    replica = tally(stopped, stopped, tried(REPLICA, rejoin="caught up"))
    assert (replica.stopped, replica.differs) == (2, 0)
    assert tally(tried(recovery_s=None)).back_s is None


@pytest.mark.parametrize(
    ("states", "worst"),
    [
        (["agree", "not tried"], "agree"),
        (["agree", "stopped", "unknown"], "stopped"),
        (["stopped", "diverge"], "diverge"),
        (["not tried"], "not tried"),
    ],
)
def test_the_worst_state_of_the_replicas_that_were_tried_is_told(states, worst):
    found = tally(*(tried(replica=one) for one in states))
    assert found.replica == worst and found.replicas.total() == len(states)


@pytest.mark.parametrize(
    ("trials", "says"),
    [
        ([tried()], "nothing lost in 1 power loss, too few to be sure"),
        ([tried(engine=5), tried(verdict="invalid"), unclear()],
         "commits lost or another failure in 2 of 2 power losses; 1 more unclear"),
        ([tried(FAULT, verdict="invalid", phantoms=2)],
         "commits read, then lost in 1 of 1 loss of the primary's host"),
        ([tried(REPLICA, rejoin="stopped"), tried(REPLICA, lost_replica=0)],
         "nothing lost in 2 replica kills, too few to be sure; the replica stopped with an error in 1"),
    ],
)  # fmt: skip
def test_the_outcome_of_all_trials_is_told_in_short(trials, says):
    assert tally(*trials).outcome == says


LOST_BY_ENGINE = "(InnoDB lost 5 commits, the binary log none)"
DOWN = tried(engine=None, binlog=None, verdict="invalid", recovery_s=None)
ALTERED = tried(verdict="invalid")
POINTS = PointCounts(tried=40, failed=3, lost=3)


@pytest.mark.parametrize(
    ("trials", "says"),
    [
        ([unclear(), WAITING], "has no trial with a verdict"),
        ([tried(), unclear()],
         "lost nothing in 1 power loss, 1 more unclear (up to 99 % of such crashes may still lose commits)"),
        ([tried(engine=5)], f"lost acknowledged commits in 1 of 1 power loss {LOST_BY_ENGINE}"),
        ([tried(engine=5), unclear()],
         f"lost acknowledged commits in 1 of 1 power loss {LOST_BY_ENGINE}; 1 more unclear"),
        ([tried(engine=5), DOWN, ALTERED, ALTERED],
         f"lost acknowledged commits in 1 of 4 power losses {LOST_BY_ENGINE}; "
         "the server did not come back after 1, 2 failed in another way"),
        ([DOWN, DOWN, tried()], "did not come back after 2 of 3 power losses"),
        ([DOWN, ALTERED], "did not come back after 1 of 2 power losses; 1 failed in another way"),
        ([ALTERED, tried()], "failed in 1 of 2 power losses"),
        ([ALTERED, unclear()], "failed in 1 of 1 power loss; 1 more unclear"),
        ([tried(binlog=5)],
         "lost acknowledged commits in 1 of 1 power loss (the binary log lost 5 commits, InnoDB none)"),
        ([tried(binlog=5, replica="agree")],
         "lost acknowledged commits in 1 of 1 power loss (the binary log lost 5 commits, InnoDB none); "
         "InnoDB and the binary log then differ"),
        ([tried(engine=5, replica="diverge")],
         f"lost acknowledged commits in 1 of 1 power loss {LOST_BY_ENGINE}; replicas diverge silently"),
        ([tried(engine=5, replica="stopped")],
         f"lost acknowledged commits in 1 of 1 power loss {LOST_BY_ENGINE}; replicas stop with an error"),
        ([tried(FAULT, engine=5, binlog=9), tried(FAULT)],
         "lost acknowledged commits in 1 of 2 losses of the primary's host (9 commits)"),
        ([tried("every-crash-point", engine=7, binlog=9, points=POINTS), tried("every-crash-point", points=POINTS),
          unclear("every-crash-point")],
         "lost acknowledged commits at 6 of the 80 crash points of 2 loads (at the worst one 9); "
         "1 more unclear"),
        ([tried("small-histories", engine=None, binlog=None, verdict="invalid", points=POINTS)],
         "recovered wrong at 3 of the 40 crash points of 1 round of small histories"),
        ([tried("kill-points", points=PointCounts(tried=40, failed=0, lost=0))],
         "lost nothing at any of the 40 kill points of this load"),
    ],
)  # fmt: skip
def test_a_sentence_tells_what_a_setting_lost(trials, says):
    assert plain(tally(*trials).says) == says


def test_no_number_is_told_of_a_failover_after_which_the_tables_could_not_be_read():
    found = tally(tried(FAULT, engine=None, binlog=5))
    assert found.missing == "" and "(" not in found.says


def test_trials_of_the_plan_are_grouped_by_server_setting_and_crash_kind():
    each = [tried(), tried(server_id=2), tried(variant="0/0"), tried("process-kill"), tried(repeat_of_id=1), tried()]
    found = tallies(each)
    assert {key: len(one.trials) for key, one in found.items()} == {
        (1, "1/1", "power-loss"): 2, (2, "1/1", "power-loss"): 1,
        (1, "0/0", "power-loss"): 1, (1, "1/1", "process-kill"): 1,
    }  # fmt: skip
    assert of(found, (1, "0/0", "power-loss")) is found[1, "0/0", "power-loss"]
    none = of(found, (3, "0/0", "power-loss"))
    assert (none.server_id, none.variant, none.kind, none.trials) == (3, "0/0", "power-loss", ())
    assert (none.engine, none.missing, setting("a", tried()).tally.engine) == ("the engine", "", "InnoDB")
