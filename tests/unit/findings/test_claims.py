"""The claims of a recipe beside what was measured: judged once, said on the page, in the export and behind a link."""

import json
import re

import numpy as np
import pytest
from django.core.management import call_command
from django.urls import reverse

from dashboard.findings.claims.in_words import claim_lines, interval_of
from dashboard.findings.claims.outcomes import outcomes_of
from dashboard.findings.document import everything
from dashboard.records.experiments.claims import StoredClaims, claims_of, variants_of
from dashboard.records.experiments.models import Cell, Experiment, Series
from dashboard.records.sharing.actions import share
from tests.unit.results import factory, trials
from workers.analysis.predicates.bounds import Bounds, Effect
from workers.analysis.predicates.claim import Claim
from workers.analysis.predicates.crashes import CrashShare
from workers.analysis.predicates.measured import At
from workers.analysis.predicates.outages import OutageRatio
from workers.analysis.predicates.points import PointFigure, SpeedRatio, Steps

pytestmark = pytest.mark.django_db
LABEL = "update by key"


def at(variant, threads=8):
    return At(variant, LABEL, threads)


CLAIMS = {
    "faster": Claim(
        "A1", "Unsafe is faster.", "54 times", SpeedRatio(at("0/0"), at("1/1")), Bounds(above=2), "Never shown."
    ),
    "far faster": Claim(
        "A1", "Far faster.", "54 times", SpeedRatio(at("0/0"), at("1/1")), Bounds(above=27), "Since then."
    ),
    "not measured": Claim("G5", "At 1024.", "", SpeedRatio(at("0/0", 1024), at("1/1", 1024)), Bounds(above=1)),
    "rises": Claim("G1", "It rises.", "", Steps((at("1/1", 1), at("1/1", 8))), Bounds(above=1)),
    "speed": Claim("T1", "So fast.", "", PointFigure(at("1/1", 1)), Bounds(above=900, below=1100)),
}


def claiming(experiment, *claims, **changes):
    experiment.claims = {
        "title": "ACID or not",
        "changed": [],
        "variants": [],
        "workloads": [],
        "claims": [claim.as_dict() for claim in claims],
        **changes,
    }
    experiment.recipe, experiment.recipe_size = "acid-or-not", "quick"
    experiment.save()
    return experiment


def outcome(experiment, claim):
    return outcomes_of(claiming(experiment, claim))[0]


def text(response):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", response.content.decode()))


def page(client, experiment):
    return client.get(reverse("results:page", args=[experiment.pk]))


@pytest.mark.parametrize(
    ("name", "expected", "today"),
    [
        ("faster", "held", ""),
        ("far faster", "not held", "Since then."),
        ("not measured", "not decidable", ""),
        ("rises", "held", ""),
        ("speed", "held", ""),
    ],
)
def test_a_claim_is_judged_by_the_stored_seconds(name, expected, today):
    found = outcome(factory.experiment(), CLAIMS[name])
    assert (found.outcome, found.today) == (expected, today)


def test_a_ratio_is_judged_whatever_throughput_counts():
    experiment = factory.experiment()
    experiment.plan["workloads"][0]["key"] = "insert-ignore"
    assert outcome(experiment, CLAIMS["faster"]).outcome == "held"


def test_an_outcome_gives_the_effect_with_its_interval():
    measured = outcome(factory.experiment(), CLAIMS["faster"]).measured
    assert measured.lo < 6 < measured.hi
    assert measured.value == pytest.approx(6, rel=0.1)


def test_an_interval_that_reaches_over_a_bound_says_so():
    found = outcome(factory.experiment(), close_to_the_bound())
    assert found.outcome == "not decidable"
    assert found.why == "the interval reaches over a bound; more repeats narrow it"


@pytest.mark.parametrize("repeats", [1, 2])
def test_fewer_than_three_repeats_decide_no_claim(repeats):
    found = outcome(factory.experiment(repeats=repeats), CLAIMS["faster"])
    assert found.outcome == "not decidable"
    assert found.why == "fewer than 3 repeats were measured, so there is no interval"
    assert found.measured.value == pytest.approx(6, rel=0.1)
    assert found.measured.lo is None


def close_to_the_bound():
    """A claim whose bound is what was measured."""
    value = outcome(factory.experiment(), CLAIMS["faster"]).measured.value
    return Claim("A1", "Just so.", "", SpeedRatio(at("0/0"), at("1/1")), Bounds(above=value))


@pytest.mark.parametrize(
    ("effect", "interval"),
    [
        (Effect("deviation", 0.033, 0.0, 2.4), "0 % to 240 %"),
        (Effect("deviation", 0.0053, 0.00044, 0.017), "0.044 % to 1.7 %"),
        (Effect("share", 0.0, 0.0, 0.116, counts="0 of 30"), "0 to 12 %"),
        (Effect("share", 1.0, 0.86, 1.0, counts="20 of 20"), "86 % to 100 %"),
        (Effect("per second", 107000, 0.0, 215000), "0 to 215,000"),
        (Effect("times", 3.0), ""),
    ],
)
def test_intervals_in_words(effect, interval):
    assert interval_of(effect).replace("\N{NO-BREAK SPACE}", " ") == interval


def test_a_failed_repeat_makes_a_claim_not_decidable_with_the_reason():
    experiment = factory.experiment()
    cell = experiment.cells.filter(variant="0/0", threads=8).first()
    cell.run.delete()
    Cell.objects.filter(pk=cell.pk).update(state="failed", error="The server went away.")
    found = outcome(experiment, CLAIMS["faster"])
    assert found.outcome == "not decidable"
    assert found.why == "0/0, update by key, 8 threads: 1 of 3 repeats failed (The server went away)"


def test_a_claim_about_a_point_outside_the_plan_is_not_decidable():
    assert "1024 threads: not part of this plan" in outcome(factory.experiment(), CLAIMS["not measured"]).why


def test_a_reason_that_points_share_is_said_once():
    asked = Claim("G5", "At 1024.", "", SpeedRatio(at("0/0", 1024), at("1/1", 512)), Bounds(above=1))
    said = outcome(factory.experiment(), asked).why
    assert said == "0/0, update by key, 1024 threads and 1/1, update by key, 512 threads: not part of this plan"


def test_a_variant_that_was_changed_is_not_what_the_claim_speaks_of():
    experiment = claiming(factory.experiment(), CLAIMS["faster"], variants=["0/0"])
    found = outcomes_of(experiment)[0]
    assert found.outcome == "not decidable"
    assert "0/0, update by key, 8 threads: this setting was changed, so it does not test the claim" in found.why


def test_outcomes_are_kept_until_something_changes():
    experiment = claiming(factory.experiment(), CLAIMS["faster"])
    first = outcomes_of(experiment)
    Series.objects.all().delete()  # whoever reads the stored outcomes does not miss them
    again = Experiment.objects.get(pk=experiment.pk)
    assert outcomes_of(again) == first
    Cell.objects.filter(experiment=experiment, variant="0/0").update(state="failed")
    assert outcomes_of(Experiment.objects.get(pk=experiment.pk))[0].outcome == "not decidable"


@pytest.mark.parametrize(("matches", "expected"), [(True, "held"), (False, "not decidable")])
def test_a_device_that_does_not_keep_its_promise_decides_nothing(matches, expected):
    experiment = factory.experiment()
    probe = experiment.probes.get()
    probe.data = {**probe.data, "promise": {"matches": matches, "says": "x25-m promises 1,200; the probe read 83."}}
    probe.save()
    found = outcome(experiment, CLAIMS["faster"])
    assert found.outcome == expected
    assert ("the probe read 83" in found.why) != matches


def with_fsyncs(experiment, per_commit, coupled=True):
    """Fsyncs that follow the commits of their second, or an average of their own with as much noise."""
    noise = np.random.default_rng(9)
    for series in Series.objects.filter(run__cell__experiment=experiment, run__cell__variant="1/1"):
        tps = np.array(series.columns["tps"])
        commits = tps if coupled else np.mean(tps) * (1 + 0.5 * noise.normal(size=tps.size))
        series.columns["redo_fsyncs"] = list(commits * per_commit)
        series.save()
    return experiment


@pytest.mark.parametrize(("below", "expected"), [(0.7, "held"), (0.3, "not held")])
def test_fsyncs_per_commit_have_the_interval_of_their_seconds(below, expected):
    experiment = with_fsyncs(factory.experiment(), 0.5)
    asked = Claim("G2", "", "", PointFigure(at("1/1"), "redo fsyncs per commit"), Bounds(below=below))
    found = outcome(experiment, asked)
    assert found.outcome == expected
    assert found.measured.value == pytest.approx(0.5, rel=0.01)


@pytest.mark.parametrize(("coupled", "narrow"), [(True, True), (False, False)])
def test_a_noisy_machine_does_not_blur_what_goes_with_each_commit(coupled, narrow):
    experiment = with_fsyncs(factory.experiment(noise=0.5), 0.5, coupled)
    asked = Claim("G2", "", "", PointFigure(at("1/1"), "redo fsyncs per commit"), Bounds(below=0.7))
    measured = outcome(experiment, asked).measured
    assert measured.lo <= 0.5 <= measured.hi
    assert (measured.hi - measured.lo < 0.01) == narrow


def test_a_figure_without_seconds_has_no_interval():
    asked = Claim("G2", "", "", PointFigure(at("1/1"), "redo fsyncs per commit"), Bounds(below=0.7))
    found = outcome(factory.experiment(), asked)
    assert (found.outcome, found.measured.lo) == ("not decidable", None)


def test_zero_of_many_commits_counts_as_below_a_small_bound():
    asked = Claim("G2", "", "", PointFigure(at("0/0"), "binlog fsyncs per commit"), Bounds(below=0.01))
    assert outcome(factory.experiment(), asked).outcome == "held"


def test_a_figure_that_no_source_knows_is_not_decidable():
    asked = Claim("G2", "", "", PointFigure(at("1/1"), "fsyncs per commit"), Bounds(below=2))
    assert outcome(factory.experiment(figures=False), asked).why == "no source has the fsyncs per commit here"


def crashed(variant, kind="power-loss", checks=("lost-engine",), **bounds):
    return Claim("X2", "", "", CrashShare((variant,), (kind,), checks), Bounds(**bounds))


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (crashed("1/1", below=0.1), "held"),
        (crashed("2/0", below=0.1), "not held"),
        (crashed("2/0", above=0), "held"),
        (crashed("1/1", "process-kill", below=0.1), "not decidable"),
        (crashed("1/1", "torn-power-loss", below=0.1), "not decidable"),
    ],
)
def test_a_claim_about_crashes_counts_them(asked, expected):
    """1/1 lost nothing in 36 power losses, which is at most 9.7 % of them."""
    rates = {**trials.RATES, "1/1": {**trials.RATES["1/1"], "power-loss": trials.HELD * 36}}
    assert outcome(trials.experiment(rates), asked).outcome == expected


def test_thirty_crashes_cannot_show_that_it_is_fewer_than_one_in_ten():
    assert outcome(trials.experiment(), crashed("1/1", below=0.1)).outcome == "not decidable"


def test_a_repeated_trial_does_not_weigh_the_counts():
    experiment = trials.experiment({"1/1": {"power-loss": trials.HELD * 30}})
    first = experiment.trials.first()
    trials.trial(experiment, first.server_id, "1/1", "power-loss", 1, (5, 0), repeat_of=first)
    assert outcome(experiment, crashed("1/1", below=0.1)).measured.counts == "0 of 30"


def test_a_self_test_that_failed_leaves_every_crash_claim_open():
    experiment = trials.experiment({"1/1": {"power-loss": trials.HELD * 30, "lying-disk": trials.HELD * 3}})
    found = outcome(experiment, crashed("1/1", below=0.1))
    assert found.outcome == "not decidable"
    assert "self-test of the checks failed" in found.why


def test_the_page_shows_claim_article_measurement_and_outcome(client_in):
    experiment = claiming(factory.experiment(), *CLAIMS.values(), changed=["threads was changed"])
    shown = text(page(client_in, experiment))
    assert "3 of 5 held" in shown
    assert "1 of 5 not held" in shown
    assert "1 of 5 not decidable" in shown
    assert "A1 Unsafe is faster." in shown
    assert "54 times" in shown
    assert "Why: Since then." in shown
    assert "Not so." not in shown
    assert "The plan was changed after that: threads was changed." in shown


def test_a_claim_that_fixes_other_threads_than_the_page_says_so(client_in):
    experiment = claiming(factory.experiment(), CLAIMS["faster"], CLAIMS["speed"], CLAIMS["rises"])
    rows = client_in.get(reverse("results:page", args=[experiment.pk])).context["claims"]["rows"]
    assert [row.elsewhere for row in rows] == [
        "",  # both at 8 threads
        "The claim is about 1 thread. This page shows 8 threads.",
        "The claim is about 1 and 8 threads. This page shows 8 threads.",
    ]
    chosen = client_in.get(reverse("results:page", args=[experiment.pk]), {"threads": 0}).context["claims"]["rows"]
    assert [bool(row.elsewhere) for row in chosen] == [True, False, True]


def test_a_result_of_no_recipe_has_no_claims(client_in):
    assert "claims that this experiment tests" not in text(page(client_in, factory.experiment()))


def test_the_export_holds_claims_and_outcomes():
    written = json.loads(json.dumps(everything(claiming(factory.experiment(), CLAIMS["faster"])), default=str))
    assert written["experiment"]["recipe_size"] == "quick"
    assert written["claims"]["claims"][0]["ratio"]["variant"] == "0/0"
    assert written["claims"]["outcomes"][0]["outcome"] == "held"


def test_behind_a_share_link_they_are_shown_without_names(client, admin_user):
    names = {"db7.example.com": 1000.0, "0/0": 6000.0}
    asked = Claim(
        "A1", "Faster than db7.example.com.", "", SpeedRatio(at("0/0"), at("db7.example.com")), Bounds(above=2)
    )
    experiment = claiming(factory.experiment(names), asked)
    _, token = share(admin_user, experiment, days=1, note="")
    shown = text(client.get(reverse("sharing:show", args=[token])))
    assert "held" in shown
    assert "Faster than" in shown
    assert "db7.example.com" not in shown


def test_the_terminal_tells_them_in_lines():
    told = claim_lines(claiming(factory.experiment(), CLAIMS["faster"]))
    assert re.fullmatch(r"A1 held: [56]\.\d+ times \(5\.\d+ to 6\.\d+\)\. Unsafe is faster\.", told[0])


def test_a_stored_claim_is_read_as_it_was_written():
    every = [*CLAIMS.values(), crashed("1/1", below=0.1)]
    assert claims_of(claiming(factory.experiment(), *every)).read() == every


def test_the_command_line_shows_a_recipe_with_its_claims(capsys):
    with pytest.raises(SystemExit):
        call_command("experiment", "recipes", "binlog-breaks-group-commit")
    told = capsys.readouterr().out
    assert "G2  A single thread with the binary log on takes three fsyncs per commit." in told
    assert "between 2.5 and 3.5" in told


def test_a_stored_claim_on_outages_names_both_of_its_variants():
    claim = Claim("own", "It takes longer.", "", OutageRatio("disk gone", "expelled", "primary-kill"), Bounds(above=1))
    assert variants_of(claim) == ["disk gone", "expelled"]
    assert StoredClaims(claims=(claim.as_dict(),)).read() == [claim]


def test_a_stored_claim_on_a_ratio_names_the_variants_of_its_points():
    assert variants_of(CLAIMS["faster"]) == ["0/0", "1/1"]
    assert StoredClaims(claims=(CLAIMS["faster"].as_dict(),)).read() == [CLAIMS["faster"]]
