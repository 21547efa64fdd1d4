"""From which log acknowledged commits are missing after crashes, and what that means for a replica."""

import pytest

from dashboard.findings.crash import missing
from dashboard.findings.crash.missing import kept_by_binlog, lost_from, of_a_replica
from tests.unit.findings.tried import tried

KEPT = ", none from the binary log: replicas can have commits that the server lacks"


@pytest.mark.parametrize(
    ("hit", "says"),
    [
        ([tried(engine=5)], f"5 commits missing from InnoDB{KEPT}"),
        ([tried(engine=5), tried(engine=7)], f"median 6 commits missing from InnoDB{KEPT}"),
        ([tried(binlog=9)], "9 commits missing from the binary log, none from InnoDB"),
        ([tried(engine=5, binlog=5, lost_both=5)], "5 commits missing from both InnoDB and the binary log"),
        ([tried(engine=1000, binlog=1000, lost_both=1000)],
         "every commit of the load is missing from both InnoDB and the binary log: 1,000 commits"),
        ([tried(engine=5, binlog=5, lost_both=5), tried(engine=6, binlog=6, lost_both=6)],
         "median 5.5 commits missing from both InnoDB and the binary log"),
        ([tried(engine=5, binlog=5, lost_both=5), tried(engine=9, binlog=20, lost_both=9)],
         "median 12.5 commits missing from the binary log, a part of them (median 7) also from InnoDB"),
        ([tried(engine=9, binlog=9, lost_both=4)],
         "9 commits missing from InnoDB, 9 from the binary log, 4 from both"),
        ([tried(engine=9, binlog=9, lost_both=None)], "9 commits missing from InnoDB, 9 from the binary log"),
        ([tried(engine=9, binlog=8, lost_both=4), tried(engine=9, binlog=8, lost_both=None)],
         "median 9 commits missing from InnoDB, 8 from the binary log"),
        ([tried(engine=9, binlog=8, lost_both=0)],
         "9 commits missing from InnoDB, 8 from the binary log, none from both"),
        ([tried(engine=9, binlog=20, lost_both=9)],
         "20 commits missing from the binary log, 9 of them also from InnoDB"),
        ([tried(engine=9, binlog=20, lost_both=9), tried(engine=7, binlog=20, lost_both=7)],
         "median 20 commits missing from the binary log, a part of them (median 8) also from InnoDB"),
        ([tried(engine=20, binlog=9, lost_both=9), tried(engine=20)],
         "median 20 commits missing from InnoDB, 9 of them also from the binary log in 1 power loss"),
        ([tried(engine=20, binlog=None)], "20 commits missing from InnoDB"),
        ([tried(engine=1000, binlog=7, lost_both=7)],
         "every commit of the load is missing from InnoDB: 1,000 commits, 7 of them also from the binary log"),
        ([tried(engine=1000, binlog=7, lost_both=7), tried(binlog=9)],
         "median 8 commits missing from the binary log, 1,000 from InnoDB in 1 power loss, 7 from both"),
        ([tried(binlog=1000), tried(binlog=10)], "median 505 commits missing from the binary log, none from InnoDB"),
        ([tried(engine=1000), tried(engine=1000), tried(binlog=9)],
         "every commit of the load is missing from InnoDB in 2 power losses: median 1,000 commits, "
         "9 from the binary log in 1 power loss"),
        ([tried(engine=9, binlog=20, lost_both=9), tried(engine=9, binlog=20, lost_both=4)],
         "median 20 commits missing from the binary log, 9 from InnoDB, 6.5 from both"),
        ([tried(engine=9, binlog=20, lost_both=0), tried(engine=9, binlog=20, lost_both=4)],
         "median 20 commits missing from the binary log, 9 from InnoDB, 2 from both"),
        ([tried(binlog=9), tried(engine=None, binlog=9)], "median 9 commits missing from the binary log"),
    ],
)  # fmt: skip
def test_the_log_that_lost_commits_most_often_is_named_first(hit, says):
    assert missing.says(hit, "InnoDB") == says


@pytest.mark.parametrize(
    ("hit", "says"),
    [
        ([tried(engine=5)], "a replica can then have commits that the server lost"),
        ([tried(engine=1, binlog=None)], "a replica can then have commits that the server lost"),
        ([tried(engine=None, binlog=1)], "a replica can then lack these commits, which InnoDB kept"),
        ([tried(binlog=5)], "a replica can then lack these commits, which InnoDB kept"),
        ([tried(binlog=1, lost_both=0)], "a replica can then lack these commits, which InnoDB kept"),
        ([tried(binlog=5), tried(engine=3, binlog=5)], "a replica can then lack commits that InnoDB kept"),
        ([tried(engine=3, binlog=5)], "a replica can then lack commits that InnoDB kept"),
        ([tried(engine=3, binlog=5, lost_both=3)], "a replica can then lack commits that InnoDB kept"),
        ([tried(engine=3, binlog=5, lost_both=2)],
         "a replica can then lack commits of the server and have others that the server lost"),
        ([tried(engine=5, binlog=3, lost_both=3)], "a replica can then have commits that the server lost"),
        ([tried(engine=5, binlog=5, lost_both=3)],
         "a replica can then lack commits of the server and have others that the server lost"),
        ([tried(engine=5), tried(binlog=5)],
         "a replica can then lack commits of the server and have others that the server lost"),
    ],
)  # fmt: skip
def test_a_replica_has_what_the_binary_log_holds(hit, says):
    assert of_a_replica(hit, "InnoDB") == says


def test_replicas_keep_the_commits_only_if_no_trial_lost_any_from_the_binary_log():
    assert kept_by_binlog([tried(engine=5), tried(engine=6)])
    assert not kept_by_binlog([tried(engine=5), tried(engine=6, binlog=1)])
    assert not kept_by_binlog([tried(engine=5, binlog=None)]), "it could not be read"
    assert not kept_by_binlog([]), "nothing was lost"


def test_a_reader_chooses_a_log_by_its_name():
    assert [lost_from(place, "InnoDB") for place in ("either", "engine", "binlog")] == [
        "InnoDB or the binary log", "InnoDB", "the binary log",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("median", "times", "says"),
    [(1, 1, "1 commit"), (1, 2, "median 1 commit"), (2, 1, "2 commits"), (1.5, 2, "median 1.5 commits"),
     (10, 2, "median 10 commits"), (10.25, 2, "median 10.2 commits"), (9.75, 2, "median 9.8 commits")],
)  # fmt: skip
def test_a_median_is_told_only_of_several_losses(median, times, says):
    assert missing.typical(median, times) == says
