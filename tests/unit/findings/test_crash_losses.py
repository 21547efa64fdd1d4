"""The losses of a setting in short words, and the rule for a load that was too short to show the whole loss."""

from dataclasses import replace

import pytest

from dashboard.findings.crash.losses import losses, lost_whole_load, of_a_failover
from tests.unit.findings.tried import plain, tally, tried, unclear
from workers.crash.points.story import PointCounts

FAULT, POINTS = "primary-host-loss", PointCounts(tried=20, failed=1, lost=1)
WHOLE, UP_TO, NEARLY = "the whole load", "up to the whole load", "up to nearly a whole load"


def told(*trials):
    return [plain(" ".join(one)).strip() for one in losses(tally(*trials))]


@pytest.mark.parametrize(
    ("trials", "says"),
    [
        ([tried(), tried()], []),
        ([tried(engine=50), tried()], ["InnoDB lost 50 commits (the last 5.00 ms)"]),
        ([tried(engine=10, binlog=300)],
         ["binary log lost 300 commits (the last 30.0 ms)", "InnoDB lost 10 commits (the last 1.00 ms)"]),
        ([tried(engine=300, binlog=10)],
         ["InnoDB lost 300 commits (the last 30.0 ms)", "binary log lost 10 commits (the last 1.00 ms)"]),
        ([tried(engine=1000), tried(engine=1000), tried()],
         ["InnoDB lost median 1,000 commits (the whole load, 100 ms)"]),
        ([tried(engine=1000), tried(engine=990)], ["InnoDB lost median 995 commits (the last 99.5 ms)"]),
        ([tried(engine=5, lost_engine_ms=None)], ["InnoDB lost 5 commits"]),
        ([tried(FAULT, engine=7, binlog=9)], ["new primary lacks 7 commits (the last 700 µs)"]),
        ([tried("replica-kill", lost_replica=7)], ["replica lacks 7 commits"]),
        ([tried("every-crash-point", engine=40, points=POINTS), tried("every-crash-point", engine=90, points=POINTS)],
         ["InnoDB lost up to 90 commits at a crash point"]),
        ([tried("every-crash-point", points=POINTS),
          tried("every-crash-point", engine=1, acknowledged=1, points=POINTS)],
         ["InnoDB lost up to 1 commit at a crash point"]),
        ([tried("kill-points", engine=40, points=POINTS)],
         ["InnoDB lost up to 40 commits at a kill point"]),
    ],
)  # fmt: skip
def test_each_log_that_lost_commits_is_named_the_worse_loss_first(trials, says):
    assert told(*trials) == says


@pytest.mark.parametrize(
    ("trials", "share"),
    [
        ([tried(engine=899)], ""),
        ([tried(engine=900)], NEARLY),
        ([tried(engine=1, acknowledged=1)], WHOLE),
        ([tried(engine=5, binlog=900)], NEARLY),
        ([tried(engine=900, binlog=5)], NEARLY),
        ([tried(engine=5), tried(engine=1000)], UP_TO),
        ([tried(engine=5, binlog=1000), tried(engine=1000)], WHOLE),
        ([tried(engine=1000), tried()], UP_TO),
        ([tried()], ""),
        ([tried(engine=5, acknowledged=None)], ""),
        ([tried(engine=5, acknowledged=0)], ""),
        ([tried("every-crash-point", engine=1000, points=POINTS)], ""),
    ],
)
def test_a_trial_that_lost_nine_tenths_of_its_commits_had_too_short_a_load(trials, share):
    """The worst crash point of a recorded load may be its last moment: that says nothing of its length."""
    assert lost_whole_load(tally(*trials)) == share


def test_only_the_log_that_is_asked_for_counts():
    one = tally(tried(engine=5, binlog=1000))
    assert [lost_whole_load(one, place) for place in ("binlog", "engine")] == [WHOLE, ""]


STOPPED = tried("replica-kill", lost_replica=None, rejoin="stopped", recovery_s=None)


@pytest.mark.parametrize(
    ("trials", "says"),
    [
        ([tried(engine=5)], []),
        ([tried(FAULT, recovery_s=None)], []),
        ([tried(FAULT, phantoms=0)], ["writes refused 500 ms"]),
        ([tried(FAULT, phantoms=3), tried(FAULT, phantoms=0), tried(FAULT)],
         ["writes refused 500 ms", "read, then lost in 1 of 2"]),
        ([tried(FAULT, recovery_s=0.0)], ["writes refused 0 s"]),
        ([STOPPED, replace(STOPPED, rejoin="caught up")], ["replica stopped with an error in 1 of 2"]),
        ([tried(FAULT, rejoin="caught up", rejoin_differs=4, recovery_s=None), tried(FAULT, recovery_s=None)],
         ["old primary follows with other rows in 1 of 2, without an error"]),
        ([tried(FAULT, fell_back=True, recovery_s=None), tried(FAULT, fell_back=False, recovery_s=None)],
         ["fell back to asynchronous in 1 of 2"]),
    ],
)  # fmt: skip
def test_beside_the_loss_of_a_failover_stands_what_else_happened(trials, says):
    assert [plain(one) for one in of_a_failover(tally(*trials, unclear(trials[0].kind)))] == says
