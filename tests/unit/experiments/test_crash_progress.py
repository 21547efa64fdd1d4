"""The live page's matrix of crash trials fills as they end."""

import pytest
from django.urls import reverse

from dashboard.records.experiments.crash_progress import crash_progress
from dashboard.records.experiments.models import Cell, Experiment
from tests.markup import flat
from tests.unit.results import factory, trials

RATES = {
    "0/0": {"power-loss": [(9, 9), None]},
    "1/1": {"power-loss": [(0, 0), (0, 0)], "lying-disk": [(7, 7)]},
}


def running(**fields):
    experiment = trials.experiment(RATES, levels={"1/1": 100, "0/0": 900})
    server = experiment.plan["targets"][0]["server_id"]
    trials.trial(experiment, server, "1/1", "power-loss", 3, None, state="waiting", verdict="", error="")
    Experiment.objects.filter(pk=experiment.pk).update(state="running", **fields)
    return Experiment.objects.get(pk=experiment.pk)


def test_the_matrix_counts_trials_by_their_verdict(db):
    now = crash_progress(running())
    words = {row.name: [(cell["words"], cell["tone"]) for cell in row.cells] for row in now.rows}
    assert now.kinds == ["power loss", "self-test: lying disk"]
    assert words == {
        "1/1": [("nothing lost in 2 of 3, 1 waiting", "scarce"), ("commits lost, as it must be", "flagged")],
        "0/0": [("commits lost in 1 of 2, unclear in 1 of 2", "few"), ("not planned", "")],
    }


@pytest.mark.parametrize(("trials_", "tone"), [(35, "scarce"), (36, "held")])
def test_the_live_matrix_is_green_as_soon_as_the_result_is(db, trials_, tone):
    one = trials.experiment({"1/1": {"power-loss": [(0, 0)] * trials_}}, levels={"1/1": 100})
    assert [cell["tone"] for cell in crash_progress(one).cells] == [tone]


@pytest.mark.parametrize("plan", [{}, {"crash": None}, {"crash": {"trials": None}}, {"crash": {}}])
def test_a_plan_of_another_version_has_no_matrix(db, plan):
    assert crash_progress(Experiment(plan=plan)).rows == []


def test_the_phase_of_crashes_begins_when_no_cell_is_left(db):
    experiment = running()
    assert crash_progress(experiment).is_phase
    Cell.objects.filter(pk=experiment.cells.first().pk).update(state="waiting")
    assert not crash_progress(experiment).is_phase


def test_the_page_says_what_the_names_of_settings_stand_for(client_in):
    experiment = running()
    experiment.plan["variants"][0]["settings"] = {"sync_binlog": "0"}
    experiment.save()
    page = flat(client_in.get(reverse("experiments:show", args=[experiment.pk])).text)
    assert "sync_binlog=0</code>" in page


def test_the_page_and_each_poll_show_the_same_cells(client_in):
    experiment = running()
    page = client_in.get(reverse("experiments:show", args=[experiment.pk])).text
    told = client_in.get(reverse("experiments:progress", args=[experiment.pk])).json()
    assert page.count("data-live-crash") == len(told["crashes"]) == 4
    assert all(cell["words"] in page for cell in told["crashes"]) and told["crashing"]


def test_an_experiment_without_crashes_has_no_matrix(client_in):
    experiment = factory.experiment()
    Experiment.objects.filter(pk=experiment.pk).update(state="running")
    assert "data-live-crash" not in client_in.get(reverse("experiments:show", args=[experiment.pk])).text
    assert not crash_progress(experiment).is_phase
