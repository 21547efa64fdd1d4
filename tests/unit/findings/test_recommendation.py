"""Which setting a result recommends, from speeds and crash trials."""

import pytest

from dashboard.findings.answer import crash_load
from dashboard.findings.point import ThroughputRatio
from dashboard.findings.recommendation import Crashes, Option, Speed, recommend
from dashboard.text.numbers import CONFIDENCE
from workers.bench.plan import CrashPlan


def speeds(*pairs: tuple[int, float], spread: float = 0.02) -> tuple[Speed, ...]:
    return tuple(Speed(threads, tps, tps * (1 - spread), tps * (1 + spread)) for threads, tps in pairs)


def losses(failed: int = 0, tried: int = 30, unclear: int = 0, most: float | None = 0.095) -> tuple[Crashes, ...]:
    return (Crashes("power-loss", tried, failed, unclear, most, lost=failed),)


WITHIN = f"{CONFIDENCE} confidence interval"
SAFE = Option("1/1", speeds((8, 1000), (32, 3000)), losses(), flushes=True)
RISKY = Option("0/0", speeds((8, 6100), (32, 9000)), losses(failed=30))


def test_the_setting_that_lost_nothing_is_chosen_however_fast_the_others_are():
    found = recommend([RISKY, SAFE], 8)
    assert found and (found.option, found.choice) == (
        "1/1",
        "Use 1/1: nothing lost in 30 power losses. 0/0 lost commits.",
    )
    assert "0/0 is 6.1 times as fast as 1/1, but it lost commits in 30 of 30 power losses." in found.reasons


def test_the_setting_that_the_server_has_is_kept():
    found = recommend([RISKY, Option("1/1", SAFE.speeds, SAFE.crashes, True, is_yours=True)], 8)
    assert found and found.choice == "Keep 1/1: nothing lost in 30 power losses. 0/0 lost commits."


def test_more_threads_are_named_only_where_they_are_faster_beyond_their_intervals():
    more = "For more speed use more client threads: 1/1 makes 1,000 commits/s at 8 threads, 3,000 at 32."
    assert more in recommend([SAFE], 8).reasons
    close = Option("1/1", speeds((8, 1000), (32, 1010)), losses(), True)
    assert not any("For more speed" in one for one in recommend([close], 8).reasons)


def test_a_setting_that_gains_nothing_is_told_as_such():
    same = Option("2/1", speeds((8, 1005)), losses(failed=3, tried=3, most=1.0))
    reasons = recommend([SAFE, same], 8).reasons
    assert (
        "2/1 is not proven to be faster than 1/1 (1.00 times as fast), "
        "and it lost commits in 3 of 3 power losses." in reasons
    )


@pytest.mark.parametrize("decision", ["measured once", "too few to judge"])
def test_speeds_that_were_measured_too_rarely_are_not_compared(decision):
    base = Speed(8, 1000, None, None, is_baseline=True)
    fast = Speed(8, 9000, None, None, ThroughputRatio(9.0, None, None, None, decision))
    once = Crashes("power-loss", 1, 1, 0, 1.0, lost=1)
    reasons = recommend([Option("1/1", (base,), losses(), True), Option("0/0", (fast,), (once,))], 8).reasons
    assert reasons[-1] == (
        "0/0 was measured too rarely to compare its speed with 1/1, and it lost commits in 1 of 1 power loss."
    )


@pytest.mark.parametrize(
    ("other", "chosen"),
    [
        (Option("1/1 fast", speeds((8, 1500)), losses(), True), "1/1 fast"),
        (Option("2/1", speeds((8, 9000)), losses()), "1/1"),  # it held, but it does not flush
        (Option("2/1", speeds((8, 1010)), losses()), "1/1"),
        (Option("2/1", speeds((8, 9000)), losses(unclear=1)), "1/1"),  # unclear is not held
        (Option("2/1", speeds((8, 9000)), ()), "1/1"),  # never crashed
        (Option("2/1", speeds((8, 9000)), losses(tried=0, most=None)), "1/1"),
        (Option("2/1", (Speed(8, 9000, None, None),), losses()), "1/1"),  # measured once: no interval
    ],
)
def test_of_two_that_held_the_faster_one_wins_only_beyond_the_intervals(other, chosen):
    assert recommend([SAFE, other], 8).option == chosen
    assert recommend([other, SAFE], 8).option == chosen


def test_of_two_alike_the_plans_first_one_is_chosen():
    same = Option("1/1 same", speeds((8, 1010)), losses(), True)
    assert [recommend([SAFE, same], 8).option, recommend([same, SAFE], 8).option] == ["1/1", "1/1 same"]


def test_a_setting_must_hold_under_every_kind_of_crash():
    killed = Option("0/0", speeds((8, 9000)), (*losses(), Crashes("process-kill", 30, 2, 0, 0.2, lost=2)))
    found = recommend([killed, SAFE], 8)
    assert found.option == "1/1"
    assert any("2 of 30 process kills" in one for one in found.reasons)


def test_of_many_settings_only_the_first_other_one_is_told_at_once():
    def told(number):
        others = [Option(f"0/{n}", RISKY.speeds, RISKY.crashes) for n in range(number)]
        return recommend([SAFE, *others], 8)

    assert (told(3).folded, told(3).at_once, told(3).when_asked) == (0, told(3).reasons, ())
    assert [one.partition(" ")[0] for one in told(5).when_asked] == ["0/1", "0/2", "0/3", "0/4"]
    assert told(5).at_once[-1].startswith("0/0 is") and (*told(5).at_once, *told(5).when_asked) == told(5).reasons


def test_of_many_kinds_of_crash_the_first_is_told_with_its_losses():
    kinds = ("process-kill", "torn-power-loss", "data-disk-power-loss")
    others = [Crashes(kind, 4, 4, 0, 1.0, lost=4) for kind in kinds]
    assert (
        recommend([SAFE, Option("0/0", RISKY.speeds, (*RISKY.crashes, *others))], 8)
        .reasons[-1]
        .endswith("it lost commits in 30 of 30 power losses and in 3 other kinds of crash.")
    )


def test_few_trials_are_told_with_what_they_still_allow():
    few = Option("1/1", SAFE.speeds, losses(tried=3, most=0.63), True)
    (said,) = recommend([few], 8).reasons[:1]
    assert said == ("3 power losses cannot rule out that 1/1 loses commits too. Run more crash trials.")
    many = recommend([SAFE], 8).reasons
    seldom = "Only a setting that loses commits in at most 1 of 10 power losses can pass 30 by luck."
    assert seldom in many and not any("Run more" in one for one in many)


@pytest.mark.parametrize(
    ("crashes", "begins"),
    [
        (losses(tried=1, most=0.98), "1/1 lost nothing, but 1 power loss cannot decide: repeat before you choose."),
        ((*losses(), Crashes("process-kill", 2, 0, 0, 0.85)), "1/1 lost nothing, but 2 process kills cannot decide"),
        (losses(tried=3, most=0.71), "Use 1/1: nothing lost in 3 power losses."),
        (
            (Crashes("every-crash-point", 1, 0, 0, 0.98, points=636),),
            "Use 1/1: nothing lost in 1 load with crash points, too few to prove that it loses none.",
        ),
    ],
)
def test_a_choice_says_on_how_many_trials_it_rests_and_waits_where_they_are_few(crashes, begins):
    found = recommend([Option("1/1", SAFE.speeds, crashes, True)], 8)
    assert found.option == "1/1" and found.choice.startswith(begins)


@pytest.mark.parametrize(
    ("plan", "says"),
    [
        ({}, "In the crash trials, clients inserted rows. Other workloads were not tried."),
        (
            {"own_load": True, "kinds": ("power-loss", "every-crash-point")},
            "In the crash trials, clients committed an own transaction and inserted rows. Other workloads were not "
            "tried.",
        ),
        (
            {"kinds": ("small-histories",)},
            "In the crash trials, short series of statements were run. Other workloads were not tried.",
        ),
    ],
)
def test_the_load_of_crash_points_is_named(plan, says):
    load = crash_load(CrashPlan(**{"kinds": ("every-crash-point",), **plan}))
    crashes = (Crashes("every-crash-point", 3, 0, 0, 0.71, points=72),)
    assert says in recommend([Option("1/1", SAFE.speeds, crashes, True)], 8, load=load).reasons


def after_a_failover(name, phantoms, failed=0):
    return Option(name, speeds((8, 900)), (Crashes("primary-host-loss", 10, failed, 0, 0.3, phantoms=phantoms),), True)


def test_a_failover_that_takes_back_what_clients_read_is_not_recommended_and_says_so():
    found = recommend([after_a_failover("AFTER_COMMIT", 7, failed=8), after_a_failover("AFTER_SYNC", 0)], 8)
    assert found.option == "AFTER_SYNC"
    assert "No client read a commit that was then gone." in found.reasons[0]
    crashes = "of 10 losses of the primary's host"
    assert (
        f"failed in another way in 1 {crashes}, let clients read commits that were then gone in 7 {crashes}"
        in (found.reasons[-1])
    )
    unknown = recommend([after_a_failover("AFTER_SYNC", None)], 8).reasons
    assert not any("No client read" in one for one in unknown)


def test_no_setting_is_recommended_if_all_lost_commits():
    found = recommend([RISKY], 8)
    assert (found.option, found.reasons) == ("", ("0/0 lost commits in 30 of 30 power losses.",))


def test_without_a_crash_trial_there_is_no_recommendation():
    assert recommend([Option("1/1", SAFE.speeds, ())], 8) is None
    assert recommend([Option("1/1", SAFE.speeds, losses(tried=0, most=None))], 8) is None


def test_a_failure_without_a_lost_commit_is_told_as_another_one():
    down = Option("2/1", speeds((8, 9000)), (Crashes("power-loss", 30, 3, 1, 0.3, lost=1),))
    reasons = recommend([SAFE, down], 8).reasons
    assert (
        "2/1 is 9.0 times as fast as 1/1, but it lost commits in 1 of 30 power losses, "
        "failed in another way in 2 of 30 power losses. 1 more power loss of 2/1 could not be judged."
    ) in reasons


def test_where_no_setting_that_flushes_was_tried_the_fastest_that_held_is_named_with_its_doubt():
    two = [Option("2/1", speeds((8, 1000)), losses()), Option("2/0", speeds((8, 9000)), losses(tried=3, most=0.63))]
    found = recommend(two, 8)
    assert found.option == "2/0"
    assert any("cannot rule out" in one for one in found.reasons)


def test_kills_alone_do_not_speak_for_a_loss_of_power():
    """2/0 survives a kill of the process: the page cache does."""
    killed = (Crashes("process-kill", 30, 0, 0, 0.095),)
    both = [Option("1/1", speeds((8, 1000)), killed, True), Option("2/0", speeds((8, 9000)), killed)]
    found = recommend(both, 8)
    assert found.option == "1/1"
    assert any("No power loss was tried" in one for one in found.reasons)
    assert not any("No power loss was tried" in one for one in recommend([SAFE], 8).reasons)


def test_a_gain_is_the_ratio_of_the_first_sentence():
    """The paired ratio sees through a drift that makes the two intervals overlap."""
    safe = Option("1/1", (Speed(8, 1000, 700, 1300, is_baseline=True),), losses(), True)
    ratio = ThroughputRatio(1.5, 1.4, 1.6, 0.001, "differs")
    fast = Option("0/0", (Speed(8, 1400, 1000, 1800, ratio),), losses(failed=30))
    assert any(
        one.startswith(f"0/0 is 1.50 times as fast as 1/1 ({WITHIN} 1.40 to 1.60), but")
        for one in recommend([safe, fast], 8).reasons
    )
    unsure = Option("0/0", (Speed(8, 1400, 1350, 1450, ThroughputRatio(1.4, 0.9, 2, 0.2, "not decidable")),), losses(9))
    seems = "0/0 seems about 1.4 times as fast as 1/1, but more repeats must confirm this, and it lost"
    assert any(one.startswith(seems) for one in recommend([safe, unsure], 8).reasons)


@pytest.mark.parametrize(
    ("lo", "hi", "told", "ends"),
    [(56.0, 210.0, "is about 110 times", "56 to 210"), (100.0, 118.0, "is 110 times", "100 to 120")],
)
def test_a_wide_interval_gives_about_so_many_times(lo, hi, told, ends):
    safe = Option("1/1", (Speed(8, 170, 130, 210, is_baseline=True),), losses(), True)
    ratio = ThroughputRatio(108.0, lo, hi, 0.001, "differs")
    fast = Option("0/0", (Speed(8, 19000, 6000, 32000, ratio),), losses(3))
    says = f"0/0 {told} as fast as 1/1 ({WITHIN} {ends}), but it lost"
    assert any(one.startswith(says) for one in recommend([safe, fast], 8).reasons)


def test_power_losses_are_told_first():
    killed, power = Crashes("process-kill", 3, 2, 0, 1.0, 2), Crashes("power-loss", 3, 3, 0, 1.0, 3)
    (told,) = recommend([SAFE, Option("2/1", speeds((8, 1900)), (killed, power))], 8).reasons[-1:]
    assert told.index("3 of 3 power losses") < told.index("2 of 3 process kills")
