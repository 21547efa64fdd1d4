"""The first sentences of a result with crash trials, and what each setting is said to have done."""

from dataclasses import replace

import pytest

from dashboard.findings.crash.finding import crash_finding
from dashboard.findings.crash.settings import settings
from dashboard.findings.finding import Pair
from dashboard.findings.headline import Headline
from dashboard.findings.lines import VariantPlace
from dashboard.findings.point import ThroughputRatio
from tests.unit.findings import points
from tests.unit.findings.tried import plain, setting, tally, tried, unclear
from workers.crash.points.story import PointCounts

UNTESTED = "The self-test of the checks did not run: no trial had a lying disk or an asynchronous link."
SAFE, FAST, OTHER = "1/1", "0/0", "2/0"
HELD = "lost nothing in 1 power loss (up to 98 % of such crashes may still lose commits)"
LOST = "lost acknowledged commits in 1 of 1 power loss (InnoDB lost 5 commits, the binary log none)"


def ratio(value, lo, hi, decision="differs"):
    return ThroughputRatio(value, lo, hi, 0.01, decision)


def pair(found=None, server_id=1):
    point = points.point()
    return Pair(Headline(SAFE, FAST, 8), server_id, f"db{server_id}", point, point, found, (FAST, SAFE), "At 8 threads")


def safe(*trials, **more):
    return setting(SAFE, *(trials or [tried()]), **more)


def fast(*trials, **more):
    return setting(FAST, *(trials or [tried(engine=5)]), **more)


def told(known, *pairs, is_over=True, trials=()):
    """All but what replicas can be, which has a test of its own."""
    return [one for one in all_told(known, *pairs, is_over=is_over, trials=trials) if "a replica " not in one]


def all_told(known, *pairs, is_over=True, trials=()):
    found = crash_finding(known, trials, pairs or [pair()], is_over)
    return [plain(one) for one in (found.text, *found.more)]


@pytest.mark.parametrize(
    ("known", "found", "says"),
    [
        ([safe(), fast()], None, [f"0/0 {LOST}", f"1/1 {HELD}."]),
        ([safe(), fast()], ratio(6.1, 5.7, 6.6),
         [f"At 8 threads 0/0 is 6.1 times as fast as 1/1 (95 % confidence interval 5.7 to 6.6), but {LOST}",
          f"1/1 {HELD}."]),
        ([safe(), fast()], ratio(1.5, 1.4, 1.6),
         [f"At 8 threads 0/0 is 1.50 times as fast as 1/1 (95 % confidence interval 1.40 to 1.60), but {LOST}",
          f"1/1 {HELD}."]),
        ([safe(), fast()], ratio(0.5, 0.4, 0.6),
         [f"0/0 {LOST}", f"1/1 {HELD}.", "At 8 threads 1/1 is 2.0 times as fast as 0/0 (1.7 to 2.5)."]),
        ([safe(), fast()], ratio(1.01, 0.95, 1.06, "no difference shown"),
         [f"0/0 {LOST}; at 8 threads 0/0 and 1/1 are about equally fast", f"1/1 {HELD}.",
          "The throughput of 0/0 is 0.950 to 1.06 times that of 1/1 (95 % confidence interval)."]),
        ([safe(), fast()], ratio(6.1, None, None, "measured once"), [f"0/0 {LOST}", f"1/1 {HELD}."]),
        ([safe()], ratio(6.1, 5.7, 6.6), [f"1/1 {HELD}"]),
        ([fast()], ratio(6.1, 5.7, 6.6), [f"0/0 {LOST}"]),
        ([safe(unclear()), fast(), setting(OTHER, tried())], ratio(6.1, 5.7, 6.6), [f"0/0 {LOST}"]),
        ([safe(unclear()), setting(OTHER, tried()), setting("0/1", tried())], ratio(6.1, 5.7, 6.6),
         [f"2/0 {HELD}", f"0/1 {HELD}."]),
    ],
)  # fmt: skip
def test_speed_and_loss_are_told_of_the_two_settings_of_the_plan(known, found, says):
    assert told(known, pair(found)) == [*says, UNTESTED]


def test_what_a_replica_can_be_is_told_together_of_settings_alike():
    kept, lost = tried(engine=5), tried(engine=5, binlog=9, lost_both=5)
    said = all_told(
        [
            safe(),
            fast(lost),
            setting(OTHER, lost),
            setting("2/1", kept),
            setting("0/1", tried(engine=5, replica="agree")),
        ]
    )
    assert [one for one in said if "a replica " in one] == [
        "Concluded, not tested: after a power loss with 0/0 and 2/0 a replica could lack commits that InnoDB kept "
        "(because the binary log lost them), and have commits that InnoDB lost (because the replica fetched them "
        "before the crash).",
        "Concluded, not tested: after a power loss with 2/1 a replica would have commits that InnoDB lost, because "
        "the binary log still has them.",
    ]


def test_nothing_is_concluded_of_replicas_where_one_was_crashed_too():
    crashed = tried("replica-crash-points", engine=5, variant="0/0")
    for others in ([], [replace(crashed, verdict="")], [replace(crashed, variant="2/0")]):
        assert [one for one in all_told([safe(), fast()], trials=others) if "Concluded" in one], "not of this setting"
    assert not [one for one in all_told([safe(), fast()], trials=[crashed]) if "Concluded" in one]


def test_nothing_is_concluded_of_replicas_from_the_largest_losses_of_different_points():
    load = tried("every-crash-point", engine=5, binlog=9, points=PointCounts(tried=20, failed=9, lost=9))
    assert load.points and not [one for one in all_told([safe(), fast(load)]) if "Concluded" in one]


@pytest.mark.parametrize(("is_over", "yet"), [(True, ""), (False, " yet")])
def test_a_result_without_a_verdict_says_whether_one_can_still_come(is_over, yet):
    assert told([safe(unclear())], is_over=is_over) == [f"No crash trial has a verdict{yet}", UNTESTED]
    both = [pair(), pair(server_id=2)]
    assert told([safe(unclear()), safe(server_id=2)], *both, is_over=is_over) == [
        f"1/1 {HELD}", f"On db1 no crash trial has a verdict{yet}.", UNTESTED,
    ]  # fmt: skip


def test_each_further_server_is_told_with_its_own_settings():
    said = told([safe(), fast(server_id=2)], pair(), pair(server_id=2))
    assert said == [f"1/1 {HELD}", f"0/0 {LOST}.", UNTESTED]


def test_a_failed_self_test_is_all_that_is_told():
    missed = [tried("lying-disk")]
    assert told([safe(), fast()], trials=missed) == [
        "The self-test of the checks failed: 1 of 1 lying disk not flagged", "No verdict of this experiment counts.",
    ]  # fmt: skip


def test_a_failover_has_its_own_sentence():
    held = tried("primary-host-loss", recovery_s=None)
    assert told([safe(held)])[0].startswith("A loss of the primary's host cost no acknowledged commit with 1/1 in 1 of")


@pytest.mark.parametrize(
    ("trials", "says"),
    [
        ([tried()], []),
        ([tried(), unclear()],
         ["1 trial is unclear. It may have lost commits or not; the percentages allow for both."]),
        ([unclear(), unclear()],
         ["2 trials are unclear. Each may have lost commits or not; the percentages allow for both."]),
        ([tried(), unclear(state="waiting", verdict="")], ["1 of 2 trials were not finished."]),
        ([tried(), unclear(repeat_of_id=1), unclear(state="waiting", verdict="", repeat_of_id=1)], []),
    ],
)  # fmt: skip
def test_trials_of_the_plan_without_a_verdict_are_counted(trials, says):
    assert told([safe()], trials=trials)[2:] == says


LOADS = {"every-crash-point": PointCounts(tried=40, failed=0, lost=0)}


def recorded(failed=0, *more):
    counts = PointCounts(tried=40, failed=failed, lost=failed)
    load = tried("every-crash-point", engine=3 if failed else 0, points=counts)
    return tally(load, *more)


HELD_BY_LOAD = "lost nothing at any of the 40 crash points of this load"


@pytest.mark.parametrize(
    ("one", "says"),
    [
        (safe(recorded=recorded()), f"1/1 {HELD_BY_LOAD}, nor in 1 power loss"),
        (safe(recorded=None), f"1/1 {HELD}"),
        (safe(recorded=tally(tried("every-crash-point"))), f"1/1 {HELD}"),
        (safe(recorded=recorded(4)),
         "1/1 lost nothing in 1 power loss, but lost acknowledged commits at 4 of the 40 crash points of this load "
         "(at the worst one 3)"),
        (safe(recorded=recorded(0, unclear("every-crash-point"))), f"1/1 {HELD}"),
        (safe(tried(), unclear(), recorded=recorded()),
         "1/1 lost nothing in 1 power loss, 1 more unclear (up to 99 % of such crashes may still lose commits)"),
        (fast(recorded=recorded()), f"0/0 {LOST}"),
    ],
)  # fmt: skip
def test_crash_points_of_recorded_loads_are_told_beside_crashes_without_a_loss(one, says):
    assert plain(one.says) == says


def of_places(kind, *trials, mine=None):
    place = VariantPlace(variant=SAFE, server_id=1, name=SAFE, colour=0, dash=0)
    speeds = [points.point(tps=7.0), points.point(variant=FAST)]
    (found,) = settings([place], trials, speeds, kind, "binlog", mine or {})
    return found


def test_a_setting_has_its_speed_its_loss_and_its_recorded_loads():
    load, crash = tried("every-crash-point", points=LOADS["every-crash-point"]), tried(binlog=9)
    found = of_places("power-loss", load, crash, mine={1: SAFE})
    assert (found.speed.tps, found.loss.most, found.mine) == (7.0, 9, True)
    assert found.tally.trials == (crash,) and found.recorded.trials == (load,)
    assert not of_places("power-loss", crash, mine={1: FAST}).mine
    alone = of_places("every-crash-point", load)
    assert alone.tally.trials == (load,) and alone.recorded is None, "its crash points are told once"


def test_beside_a_server_that_was_crashed_alone_stands_the_topology_whose_primary_was():
    primary = tried("primary-power-loss")
    assert of_places("power-loss", primary).tally.trials == (primary,)
    assert of_places("power-loss", primary, tried()).tally.kind == "power-loss"
    assert of_places("torn-power-loss", primary).tally.trials == ()
    assert replace(of_places("power-loss"), mine=True).outcome == "has no trial with a verdict"
