"""What trials come to: every number of a tally, and nothing counted that was not decided."""

from dataclasses import replace

import pytest

from dashboard.findings.crash.missing import in_words
from dashboard.findings.crash.rate import rate
from dashboard.findings.crash.statistics import finished, of, tallies
from dashboard.findings.crash.trials import ANY_ENGINE, WITH_REPLICA, controls_of, engine_in, replica_of, trials_of
from dashboard.records.experiments.trial_evidence import ReplicaState
from tests.unit.findings.tried import tried
from tests.unit.results import trials

NBSP = "\N{NO-BREAK SPACE}"


def tally(losses, **known):
    one = trials.experiment({"1/1": {"power-loss": losses}}, measured=0, **known)
    return next(iter(tallies(trials_of(one)).values()))


def test_no_failure_is_shown_with_its_upper_bound():
    assert rate(0, 30).at_most == f"up to 12{NBSP}% of such crashes may still lose commits"
    assert rate(0, 30).lo == 0
    assert rate(0, 30).hi == pytest.approx(1 - 0.025 ** (1 / 30))


def test_failures_are_shown_with_the_exact_interval():
    """Clopper and Pearson's for 2 of 30, as tables of it print."""
    assert (rate(2, 30).lo, rate(2, 30).hi) == pytest.approx((0.00818, 0.22074), abs=1e-4)
    assert rate(4, 4).bounds() == f"95{NBSP}% lower bound 40{NBSP}%"
    assert rate(2, 30).bounds() == f"95{NBSP}% interval 0.82{NBSP}% to 22{NBSP}%"
    assert rate(0, 0).bounds() == ""


@pytest.mark.django_db
def test_a_tally_counts_losses_unknown_and_open_trials():
    one = tally([(977, 0), (1278, 3), (0, 0), None])
    assert (one.invalid.k, one.invalid.n, one.unknown, one.open) == (2, 3, 1, 0)
    engine, binlog = one.loss("engine"), one.loss("binlog")
    assert (engine.median, engine.least, engine.most) == (1127.5, 0, 1278)
    assert engine.mean == pytest.approx((977 + 1278) / 3)
    assert engine.median_ms == pytest.approx(1127.5 / 1.1)
    assert engine.most_ms == pytest.approx(1278 / 1.1)
    assert (engine.rate.k, engine.rate.n) == (2, 3)
    assert (binlog.mean, binlog.median, binlog.most, binlog.rate.k) == (1, 3, 3, 1)
    assert one.replicas == {"diverge": 2, "agree": 1}


def test_unclear_trials_widen_the_bounds():
    """20 that held and 10 that may not have: as 0 of 30 below and 10 of 30 above."""
    assert rate(0, 20, 10).at_most == f"up to 53{NBSP}% of such crashes may still lose commits"
    assert rate(0, 20, 10).hi == rate(10, 30).hi and rate(0, 20, 10).lo == 0
    assert (rate(3, 20, 10).lo, rate(3, 20, 10).hi) == (rate(3, 30).lo, rate(13, 30).hi)
    assert rate(0, 0, 10).bounds() == ""


@pytest.mark.django_db
def test_an_unknown_verdict_does_not_count_as_passed():
    one = tally([None, None])
    assert (one.invalid.n, one.unknown) == (0, 2)
    assert one.loss("engine") is None
    assert one.says == "has no trial with a verdict"


@pytest.mark.django_db
def test_a_trial_that_failed_before_its_verdict_counts_as_unknown():
    one = trials.experiment({}, measured=0, levels={"1/1": 10.0})
    server = one.plan["targets"][0]["server_id"]
    trials.trial(one, server, "1/1", "power-loss", 1, None, verdict="", state="failed")
    trials.trial(one, server, "1/1", "power-loss", 2, None, verdict="", state="waiting")
    found = next(iter(tallies(trials_of(one)).values()))
    assert (found.invalid.n, found.unknown, found.open) == (0, 1, 1)


@pytest.mark.django_db
def test_repeated_trials_do_not_count():
    one = trials.experiment({"1/1": {"power-loss": [(0, 0)]}}, measured=0)
    first = one.trials.get()
    trials.trial(one, first.server_id, "1/1", "power-loss", 1, (5, 5), repeat_of=first)
    assert next(iter(tallies(trials_of(one)).values())).invalid.counts == "0 of 1"


@pytest.mark.django_db
def test_a_tally_says_the_crash_and_the_number_of_trials():
    assert tally([(0, 0)] * 30).says == (
        f"lost nothing in 30 power losses (up to 12{NBSP}% of such crashes may still lose commits)"
    )
    assert tally([(1060, 20000)] * 4).says == (
        "lost acknowledged commits in 4 of 4 power losses "
        "(the binary log lost a median of 20,000 commits; InnoDB lost a part of these, a median of 1,060); "
        "replicas diverge silently"
    )
    assert tally([(0, 200)]).says.startswith(
        "lost acknowledged commits in 1 of 1 power loss (the binary log lost 200 commits, InnoDB none);"
    )


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("losses", "says"),
    [
        ([(0, 0)] * 16 + [(1200, 1200)] * 14,
         "lost acknowledged commits in 14 of 30 power losses "
         "(both InnoDB and the binary log lost a median of 1,200 commits)"),
        ([(5, 1000)] * 3 + [(0, 1000)],  # the place that lost more often
         "lost acknowledged commits in 4 of 4 power losses (the binary log lost a median of 1,000 commits; "
         "in 3 power losses InnoDB lost a part of these, a median of 5)"),
        ([(0, 10)] * 4 + [(8000, 9000)],  # the medians are of different trials
         "lost acknowledged commits in 5 of 5 power losses (the binary log lost a median of 10 commits; "
         "in 1 power loss InnoDB lost 8,000 of these)"),
        ([(0, 7)] * 2 + [(5, 0)] * 3,
         "lost acknowledged commits in 5 of 5 power losses "
         "(in 3 power losses InnoDB lost a median of 5 commits; "
         "in 2 power losses the binary log lost a median of 7)"),
        ([(0, 0)] * 20 + [None] * 10,
         "lost nothing in 20 power losses, 10 more unclear "
         f"(up to 53{NBSP}% of such crashes may still lose commits)"),
        ([(5, 5), (0, 0), None],
         "lost acknowledged commits in 1 of 2 power losses "
         "(both InnoDB and the binary log lost 5 commits); 1 more unclear"),
    ],
)  # fmt: skip
def test_a_loss_goes_with_its_own_trials(losses, says):
    assert tally(losses, replica=False).says == says


@pytest.mark.django_db
def test_a_number_that_is_that_of_the_whole_load_says_so():
    """It tells how long the load was. One trial that kept a commit is enough to leave it out."""
    lost = tally([(5, 70), (5, 90)], replica=False)
    whole = replace(lost, trials=tuple(replace(one, acknowledged=one.lost_binlog) for one in lost.trials))
    assert "the binary log lost every commit of each load, a median of 80; InnoDB lost a part" in whole.says
    assert "every commit" not in replace(whole, trials=(whole.trials[0], lost.trials[1])).says


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("losses", "both", "says"),
    [
        ((1060, 20000), 1060, "a median of 20,000 commits; InnoDB lost a part of these, a median of 1,060"),
        ((1060, 20000), 40, "20,000 commits; InnoDB lost a median of 1,060; 40 are missing from both"),
        ((1060, 20000), 0, "20,000 commits; InnoDB lost a median of 1,060; none is missing from both"),
        ((7, 7), 3, "InnoDB lost a median of 7 commits; the binary log lost a median of 7; 3 are missing from both"),
        ((7, 7), None, "InnoDB lost a median of 7 commits; the binary log lost a median of 7"),
        ((1060, 20000), None, "the binary log lost a median of 20,000 commits; InnoDB lost a median of 1,060"),
    ],
)  # fmt: skip
def test_commits_that_both_logs_lost_are_counted_where_the_evidence_tells(losses, both, says):
    one = trials.experiment({"1/1": {"power-loss": [losses] * 2}}, measured=0, replica=False)
    for trial in one.trials.all():
        trial.evidence.data["sets"]["acknowledged_in_neither"] = both
        trial.evidence.save()
    (found,) = tallies(trials_of(one)).values()
    assert found.missing.endswith(says)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("kind", "reads"),
    [("power-loss", True), (min(WITH_REPLICA), False), ("primary-power-loss", False)],
)
def test_the_evidence_is_read_only_where_a_sentence_names_the_logs(kind, reads, django_assert_num_queries):
    one = trials.experiment({"1/1": {kind: [(5, 9)]}}, measured=0, replica=False)
    with django_assert_num_queries(2 if reads else 1):
        (found,) = trials_of(one)
    assert found.lost_both == (5 if reads else None)
    assert ("InnoDB" in tallies([found])[found.server_id, "1/1", kind].missing) == reads


def test_a_tally_without_trials_says_so():
    none = of({}, (1, "1/1", "power-loss"))
    assert none.says == "has no trial with a verdict"
    assert none.invalid.bounds() == ""
    assert none.replica == "not tried"


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        ([], "not tried"),
        ([("caught up", 0), ("caught up", 0)], "agree"),
        ([("stopped", None), ("caught up", 12)], "diverge"),
        ([("stopped", None), ("caught up", 0)], "stopped"),
        ([("stopped", 12)], "stopped"),
        ([("caught up", None)], "unknown"),
        ([("unknown", 0), ("caught up", 0)], "unknown"),
    ],
)
def test_the_worst_state_of_a_replica_counts(seen, expected):
    assert replica_of([ReplicaState("after recovery", state, "", rows) for state, rows in seen]) == expected


def test_an_old_primary_that_cannot_rejoin_is_no_replica_that_stopped():
    """An asynchronous replica that was promoted may have been behind, whatever the primary's settings."""
    well = ReplicaState("after recovery", "caught up", "", 0)
    rejoins = ReplicaState("the old primary rejoins the promoted replica", "stopped", "", 5)
    assert replica_of([well, rejoins]) == "agree"
    assert replica_of([replace(well, state="stopped"), rejoins]) == "stopped"


@pytest.mark.django_db
def test_a_plan_without_a_replica_has_no_state_of_one():
    assert tally([(1, 2)], replica=False).replica == "not tried"


@pytest.mark.django_db
def test_a_server_that_stays_down_is_not_told_as_nothing_lost():
    """Not that nothing was lost: nobody could look."""
    one = trials.experiment({"1/1": {"power-loss": [(0, 0)] * 2}}, measured=0)
    one.trials.filter(repeat=1).update(verdict="invalid", recovery_s=None, lost_engine=None, lost_engine_ms=None)
    assert next(iter(tallies(trials_of(one)).values())).says == "did not come back after 1 of 2 power losses"
    one.trials.filter(repeat=2).update(verdict="invalid", lost_engine=7, lost_engine_ms=1)
    said = next(iter(tallies(trials_of(one)).values())).says
    assert "(InnoDB lost 7 commits" in said and "did not come back after 1" in said
    one.trials.filter(repeat=1).update(lost_binlog=9)  # its files can be read all the same
    one.trials.filter(repeat=2).update(lost_engine=0, lost_binlog=9)
    said = next(iter(tallies(trials_of(one)).values())).says
    assert (
        "in 2 of 2 power losses (the binary log lost a median of 9 commits" in said
        and "did not come back after 1" in said
    )
    assert "failed in another way" not in said


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("losses", "disagrees"),
    [([(5, 5), (5, 3)], True), ([(5, 3), (5, 3)], True), ([(5, 5), (7, 7)], False)],
)
def test_a_single_trial_with_unlike_engine_and_binlog_counts_as_disagreement(losses, disagrees):
    assert tally(losses).disagrees == disagrees
    assert tally(losses).of_a_replica == "", "one was tried"
    assert (
        tally(losses, replica=False).of_a_replica
        == "a replica would have commits that InnoDB lost, because the binary log still has them"
    ) == disagrees


@pytest.mark.django_db
def test_one_lost_commit_is_written_in_the_singular():
    assert "lost 1 commit)" in tally([(1, 1)]).says
    assert "lost 2 commits)" in tally([(2, 2)]).says
    assert "lost a median of 2 commits)" in tally([(2, 2), (2, 2)]).says


@pytest.mark.parametrize(
    ("count", "words"), [(5, "5"), (3.5, "3.5"), (999, "999"), (1000, "1,000"), (1068, "1,070"), (10.5, "10.5")]
)
def test_a_median_has_as_many_digits_as_it_deserves(count, words):
    assert in_words(count) == words


@pytest.mark.django_db
def test_a_trial_that_waits_is_not_finished():
    one = trials.experiment({"1/1": {"power-loss": [(0, 0), None]}})
    trials.trial(one, one.trials.first().server_id, "1/1", "power-loss", 3, None, state="waiting", verdict="")
    assert finished(trials_of(one)) == 2


@pytest.mark.django_db
def test_controls_are_read_without_their_plan_and_evidence():
    one = trials.experiment({"1/1": {"power-loss": [(0, 0)], "lying-disk": [(9, 9)]}}, measured=0)
    assert controls_of([]) == {}
    ((found,),) = controls_of([one.pk]).values()
    known = (found.kind, found.lost_engine, found.engine, found.family, found.replica)
    assert known == ("lying-disk", 9, ANY_ENGINE, "", "not tried")


@pytest.mark.django_db
def test_evidence_of_a_topology_is_read_beside_a_server_alone():
    one = trials.experiment({"1/1": {"power-loss": [(0, 0)]}, "0/0": {"primary-kill": [(3, 0)]}}, replica=False)
    one.plan["variants"][1]["topology"] = "semi-sync"
    one.save()
    failover = one.trials.get(kind="primary-kill")
    rejoin = {"state": "caught up", "different_rows": 7}
    failover.evidence.data["failover"] = {"ghosts": 4, "fell_back": True, "rejoin": rejoin}
    failover.evidence.save()
    alone, found = trials_of(one)
    assert (found.ghosts, found.fell_back, found.rejoin, found.rejoin_differs) == (4, True, "caught up", 7)
    assert (alone.ghosts, alone.fell_back, alone.rejoin, alone.rejoin_differs) == (None, None, None, None)
    assert (alone.family, found.family) == ("one server", "replicas")


def test_of_several_engines_none_is_named():
    assert engine_in([tried(), tried()]) == "InnoDB"
    assert engine_in([tried(), replace(tried(), engine="MyRocks")]) == engine_in([]) == ANY_ENGINE


@pytest.mark.django_db
@pytest.mark.parametrize("lost", [(5, 0), (0, 9)])
def test_the_evidence_is_not_read_where_one_log_lost_nothing(lost, django_assert_num_queries):
    one = trials.experiment({"1/1": {"power-loss": [lost]}}, measured=0, replica=False)
    with django_assert_num_queries(1):
        (found,) = trials_of(one)
    assert found.lost_both is None


@pytest.mark.django_db
def test_a_trial_of_a_variant_that_the_plan_does_not_name_has_no_engine_and_no_family():
    one = trials.experiment({"1/1": {"power-loss": [(0, 0)]}}, measured=0)
    one.trials.update(variant="another")
    (found,) = trials_of(one)
    assert (found.engine, found.family) == (ANY_ENGINE, "")
