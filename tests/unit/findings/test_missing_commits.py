"""From which log acknowledged commits are missing after crashes, and what that means for a replica."""

import pytest

from dashboard.findings.crash import missing
from dashboard.findings.crash.missing import lost_from, of_a_replica
from tests.unit.findings.tried import plain, tried

KEPT = ", the binary log none"
BY_BINLOG = "a replica would have commits that InnoDB lost, because the binary log still has them"
DIFFERS = (
    "a replica could lack commits that InnoDB kept (because the binary log lost them), and have commits that InnoDB "
    "lost (because the replica fetched them before the crash)"
)
LACKS = "a replica could lack commits that InnoDB kept (because the binary log lost them)"
BOTH_WAYS = "a replica would lack commits that only InnoDB kept, and have others that only the binary log kept"


@pytest.mark.parametrize(
    ("hit", "says"),
    [
        ([tried(engine=1)], f"InnoDB lost 1 commit{KEPT}"),
        ([tried(engine=5), tried(engine=7)], f"InnoDB lost a median of 6 commits{KEPT}"),
        ([tried(binlog=9)], "the binary log lost 9 commits, InnoDB none"),
        ([tried(engine=5, binlog=5, lost_both=5)], "both InnoDB and the binary log lost 5 commits"),
        ([tried(engine=1000, binlog=1000, lost_both=1000)],
         "both InnoDB and the binary log lost all 1,000 commits of the load"),
        ([tried(engine=5, binlog=5, lost_both=5), tried(engine=6, binlog=6, lost_both=6)],
         "both InnoDB and the binary log lost a median of 5.5 commits"),
        ([tried(engine=5, binlog=5, lost_both=5), tried(engine=9, binlog=20, lost_both=9)],
         "the binary log lost a median of 12.5 commits; InnoDB lost a part of these, a median of 7"),
        ([tried(engine=9, binlog=9, lost_both=4)],
         "InnoDB lost 9 commits; the binary log lost 9; 4 are missing from both"),
        ([tried(engine=9, binlog=9, lost_both=None)], "InnoDB lost 9 commits; the binary log lost 9"),
        ([tried(engine=9, binlog=8, lost_both=4), tried(engine=9, binlog=8, lost_both=None)],
         "InnoDB lost a median of 9 commits; the binary log lost a median of 8"),
        ([tried(engine=9, binlog=8, lost_both=0)],
         "InnoDB lost 9 commits; the binary log lost 8; none is missing from both"),
        ([tried(engine=9, binlog=8, lost_both=1)],
         "InnoDB lost 9 commits; the binary log lost 8; 1 is missing from both"),
        ([tried(engine=9, binlog=20, lost_both=9)], "the binary log lost 20 commits; InnoDB lost 9 of these"),
        ([tried(engine=9, binlog=1000, lost_both=9), tried(engine=7, binlog=1000, lost_both=7)],
         "the binary log lost every commit of each load, a median of 1,000; "
         "InnoDB lost a part of these, a median of 8"),
        ([tried(binlog=1000, lost_binlog_ms=1300.0), tried(binlog=1000, lost_binlog_ms=1500.0)],
         "the binary log lost every commit of each load, a median of 1,000, InnoDB none"),
        ([tried(engine=1000, lost_engine_ms=900.0)],
         f"InnoDB lost all 1,000 commits of the load{KEPT}"),
        ([tried(engine=20, binlog=9, lost_both=9), tried(engine=20)],
         "InnoDB lost a median of 20 commits; in 1 power loss the binary log lost 9 of these"),
        ([tried(engine=20, binlog=None)], "InnoDB lost 20 commits"),
        ([tried(engine=1000, binlog=7, lost_both=7), tried(binlog=9)],
         "the binary log lost a median of 8 commits; in 1 power loss InnoDB lost 1,000; 7 are missing from both"),
        ([tried(binlog=1000), tried(binlog=10)], "the binary log lost a median of 505 commits, InnoDB none"),
        ([tried(engine=1000), tried(engine=1000), tried(binlog=9)],
         "in 2 power losses InnoDB lost every commit of each load, a median of 1,000; "
         "in 1 power loss the binary log lost 9"),
        ([tried(engine=9, binlog=20, lost_both=0), tried(engine=9, binlog=20, lost_both=4)],
         "the binary log lost a median of 20 commits; InnoDB lost a median of 9; 2 are missing from both"),
        ([tried(binlog=9), tried(engine=None, binlog=9)], "the binary log lost a median of 9 commits"),
    ],
)  # fmt: skip
def test_the_log_that_lost_commits_most_often_is_named_first(hit, says):
    assert plain(missing.says(hit, "InnoDB")) == says


@pytest.mark.parametrize(
    ("hit", "says"),
    [
        ([tried(engine=5)], BY_BINLOG),
        ([tried(engine=1, binlog=None)], BY_BINLOG),
        ([tried(engine=5, binlog=3, lost_both=3)], BY_BINLOG),
        ([tried(engine=None, binlog=1)], LACKS),
        ([tried(binlog=1, lost_both=0)], LACKS),
        ([tried(engine=3, binlog=5, lost_both=3)],
         DIFFERS),
        ([tried(engine=3, binlog=5, lost_both=2)], BOTH_WAYS),
        ([tried(engine=5, binlog=5, lost_both=3)], BOTH_WAYS),
        ([tried(engine=5), tried(binlog=5)], BOTH_WAYS),
    ],
)  # fmt: skip
def test_a_replica_has_what_the_binary_log_holds_and_what_it_fetched_before(hit, says):
    assert of_a_replica(hit, "InnoDB") == says


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
