"""A result as values: rows, marks, what each copy holds, and the choice."""

import pytest

from dashboard.findings.answer import choice_of, options
from dashboard.findings.crash.self_test import self_test
from dashboard.findings.result.choice import missing
from dashboard.findings.result.compared import comparison
from dashboard.findings.result.comparison import BOUND
from dashboard.findings.shown import shown
from tests.unit.crash.recorded_states import LOST, TORN, UNCLEAR, state, story
from tests.unit.results import factory, recorded_trials, trials
from workers.analysis.binomial import interval

pytestmark = pytest.mark.django_db
HELD, LOSSES = (0, 0), [(1162, 18000), (0, 0), None]


def compared(one, chosen="", **choice):
    return comparison(shown(one, choice), chosen)


def row_of(found, name):
    return next(one for one in found.rows if one.name == name)


def test_a_row_has_each_trial_with_what_each_log_lost():
    one = trials.experiment({"1/1": {"power-loss": [HELD]}, "2/0": {"power-loss": LOSSES}}, replica=False)
    marks = row_of(compared(one), "2/0").crashes
    assert [(mark.outcome, mark.engine, mark.binlog, mark.acknowledged) for mark in marks] == [
        ("lost", 1162, 18000, 22000), ("kept", 0, 0, 22000), ("unclear", None, None, 22000),
    ]  # fmt: skip
    assert {mark.trial_id for mark in marks} <= set(one.trials.values_list("pk", flat=True))


def test_a_row_counts_what_failed_what_is_unclear_and_what_is_left():
    one = trials.experiment({"2/0": {"power-loss": [*LOSSES, (1000, 11000), (3000, 22000)]}}, replica=False)
    row = row_of(compared(one), "2/0")
    assert (row.lost.k, row.lost.n, row.unclear, row.outcome, row.is_sure) == (3, 4, 1, "lost", True)
    assert row.engine_kept == pytest.approx(1 - (1162 + 1000) / 2 / 22000)
    assert row.binlog_kept == pytest.approx(1 - (18000 + 11000) / 2 / 22000)
    assert row.range_lost("binlog") == (0, 22000) and row.range_lost("replica") is None


def test_a_few_trials_without_a_loss_are_not_sure_and_many_are():
    few = trials.experiment({"1/1": {"power-loss": [HELD] * 3}}, replica=False)
    many = trials.experiment({"1/1": {"power-loss": [HELD] * 72}}, replica=False)
    assert [row_of(compared(one), "1/1").is_sure for one in (few, many)] == [False, True]


@pytest.mark.parametrize("n", [40, 71, 72])
def test_a_mark_is_sure_from_where_no_more_crashes_are_asked_for(n):
    one = trials.experiment({"1/1": {"power-loss": [HELD] * n}}, replica=False)
    assert row_of(compared(one), "1/1").is_sure == (chosen(one).missing == 0) == (n == 72)


def test_speeds_are_of_all_numbers_of_threads_and_a_noisy_one_is_not_firm():
    quiet, loud = (compared(factory.experiment({"1/1": 1000.0, "0/0": 6000.0}, noise=noise)) for noise in (0.02, 3))
    row = row_of(quiet, "0/0")
    assert [speed.threads for speed in row.speeds] == [1, 8] == list(quiet.threads) and quiet.at_threads == 8
    assert row.speed(8).ratio.value == pytest.approx(6, rel=0.1) and row.speed(8).is_firm
    assert not all(speed.is_firm for row in loud.rows for speed in row.speeds)


def test_the_chosen_setting_stands_first_then_by_what_was_lost():
    one = trials.experiment(
        {
            "2/0": {"power-loss": [(10, 900)]},
            "0/0": {"power-loss": [(10, 20)]},
            "1/1": {"power-loss": [HELD]},
        },
        replica=False,
    )
    assert [row.name for row in compared(one, "1/1").rows] == ["1/1", "0/0", "2/0"]


@pytest.mark.parametrize(
    ("lost", "stands"),
    [((0, 0), "same"), ((900, 0), "ahead"), ((0, 900), "behind"), ((900, 900), "same")],
)
def test_a_replica_that_was_not_tried_is_concluded_from_both_logs(lost, stands):
    one = trials.experiment({"1/1": {"power-loss": [lost]}}, replica=False)
    for trial in one.trials.all():
        trial.evidence.data.pop("replicas", None)
        trial.evidence.data["sets"] = {"acknowledged_in_neither": min(lost)}
        trial.evidence.save()
    assert row_of(compared(one), "1/1").replica == stands


def test_the_moments_of_a_load_are_in_time_with_their_seconds_and_their_load_is_one_trial():
    lost = state(0.2, LOST, lost=3)
    one = recorded_trials.loads(story(state(0.4, TORN), lost, state(0.1), state(0.3, UNCLEAR)))
    [row] = compared(one, crash="power-loss").rows
    [load] = row.loads
    assert [(each.at_s, each.outcome) for each in load.moments] == [
        (0.1, "kept"), (0.2, "lost"), (0.3, "unclear"), (0.4, "other"),
    ]  # fmt: skip
    assert load.moments[1].engine == 3 and load.moments[1].engine_s == lost.lost_engine.ms / 1000
    assert (row.moments, row.moments_lost, row.lost.n) == (4, 1, 1)


def chosen(one):
    view = shown(one)
    return choice_of(options(view, next(iter(view.servers))), view, self_test(view.trials))


@pytest.mark.parametrize(
    ("rates", "why", "setting"),
    [
        ({"1/1": [HELD] * 3, "0/0": [(9, 9)] * 3}, "kept", "1/1"),
        ({"1/1": [HELD] * 2, "0/0": [(9, 9)] * 2}, "too few", "1/1"),
        ({"1/1": [(5, 5)] * 3, "0/0": [(9, 9)] * 3}, "none kept", ""),
    ],
)
def test_a_choice_says_why_and_names_what_lost(rates, why, setting):
    crashes = {name: {"power-loss": lost} for name, lost in rates.items()}
    found = chosen(trials.experiment(crashes, replica=False))
    assert (found.why, found.setting) == (why, setting)
    assert "0/0" in found.lost and ("1/1" in found.kept) == bool(setting)


def test_many_moments_of_a_load_do_not_make_up_for_too_few_crashes():
    one = trials.experiment({"1/1": {"power-loss": [HELD], "every-crash-point": [HELD]}}, replica=False)
    one.plan["crash"]["kinds"] = ["power-loss", "every-crash-point"]
    one.save()
    evidence = one.trials.get(kind="every-crash-point").evidence
    evidence.data["points"] = story(*(state(n / 20) for n in range(24))).as_stored()
    evidence.save()
    assert (chosen(one).why, chosen(one).tried) == ("too few", 1)


def test_nothing_is_chosen_after_a_control_that_failed():
    failed = {"1/1": {"power-loss": [HELD] * 3, "lying-disk": [HELD]}}
    assert chosen(trials.experiment(failed, replica=False)).why == "controls failed"
    passed = {"1/1": {"power-loss": [HELD] * 3, "lying-disk": [(5, 5)]}}
    assert chosen(trials.experiment(passed, replica=False)).why == "kept"


def test_without_a_crash_nothing_is_chosen_and_the_cost_is_told():
    found = chosen(factory.experiment())
    assert (found.why, found.setting) == ("not tried", "")


def test_the_cost_of_the_choice_is_a_share_of_the_faster_speed():
    rates = {"1/1": {"power-loss": [HELD] * 3}, "0/0": {"power-loss": [(9, 9)] * 3}}
    cost = chosen(trials.experiment(rates, replica=False, levels={"1/1": 1000.0, "0/0": 4000.0})).cost
    assert (cost.setting, cost.rival, cost.threads) == ("1/1", "0/0", 8)
    assert cost.share.value == pytest.approx(0.75, abs=0.03) and cost.share.lo < cost.share.value < cost.share.hi
    assert cost.ms.value == pytest.approx(0.75 * 8000 / cost.tps, rel=0.05)


def test_the_missing_trials_bring_the_bound_below_five_percent_and_one_less_does_not():
    enough = 3 + missing(3)
    assert interval(0, enough)[1] < BOUND <= interval(0, enough - 1)[1] and missing(500) == 0
