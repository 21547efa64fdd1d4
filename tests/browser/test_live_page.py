"""The live page of a real experiment: crash trials fill its matrix, and it follows a stop by whomever."""

import re

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from dashboard.records.experiments.models import Experiment, Trial
from dashboard.records.fleet.models import Worker
from tests.browser.test_nights import dba  # noqa: F401 - a fixture
from tests.unit.results import trials


@pytest.fixture
def experiment(db):
    made = trials.experiment({"1/1": {"power-loss": [(0, 0)]}}, levels={"1/1": 100})
    server = made.plan["targets"][0]["server_id"]
    trials.trial(made, server, "1/1", "power-loss", 2, None, state="waiting", verdict="", error="")
    Experiment.objects.filter(pk=made.pk).update(state="running", activity="crash trials")
    return made


@pytest.fixture
def live(page, live_server, dba, experiment):  # noqa: F811 - the fixture
    page.goto(f"{live_server.url}/experiments/{experiment.pk}/")
    expect(page.locator("[data-live-activity]")).to_have_text("crash trials")
    return page


def test_a_trial_that_ends_changes_its_place_in_the_matrix(live, experiment):
    cell = live.locator("[data-live-crash]")
    expect(cell).to_have_text("nothing lost in 1 of 2, 1 waiting")
    expect(live.locator("[data-live-plot]")).to_be_hidden()
    Trial.objects.filter(experiment=experiment, state="waiting").update(
        state="done", verdict="invalid", lost_engine=3, lost_binlog=3
    )
    expect(cell).to_have_text("commits lost in 1 of 2, nothing lost in 1 of 2")
    expect(cell).to_have_class("crash-cell few")


def test_on_a_phone_each_cell_of_the_matrix_names_its_crash(live):
    """The head of the table is hidden there."""
    before = "cell => getComputedStyle(cell, '::before').content"
    assert live.locator("[data-live-crash]").evaluate(before) == "none"
    live.set_viewport_size({"width": 390, "height": 844})
    assert live.locator("[data-live-crash]").evaluate(before) == '"Power loss"'


def test_stopping_asks_first_in_words_that_say_what_happens(live, experiment):
    dialog = live.get_by_role("dialog")
    stop = live.locator("main").get_by_role("button", name="Stop experiment", exact=True)
    stop.click()
    dialog.get_by_role("button", name="Keep running", exact=True).click()
    expect(dialog).to_have_count(0)
    assert not Experiment.objects.get(pk=experiment.pk).cancel_asked
    stop.click()
    with live.expect_navigation():
        dialog.get_by_role("button", name="Stop experiment", exact=True).click()
    assert Experiment.objects.get(pk=experiment.pk).cancel_asked
    expect(live.get_by_role("status").filter(has_text="Stopping: the worker ends the load")).to_be_visible()
    expect(stop).to_be_hidden()


def test_a_stop_by_somebody_else_is_shown_until_the_worker_has_stopped(live, experiment):
    says, stop = (
        live.locator("[data-live-stopping]"),
        live.locator("main").get_by_role("button", name="Stop experiment"),
    )
    expect(says).to_be_hidden()
    expect(stop).to_be_visible()
    gone = Worker.objects.create(host="db7", pid=1, ended_at=timezone.now())
    Experiment.objects.filter(pk=experiment.pk).update(cancel_asked=True, worker=gone)
    expect(says).to_contain_text("the worker db7:1 does not answer")
    expect(stop).to_be_hidden()


def test_the_live_page_opens_the_result_after_another_person_stops_the_experiment(live, experiment):
    Experiment.objects.filter(pk=experiment.pk).update(state="cancelled", cancel_asked=True)
    live.wait_for_url(re.compile(rf"/results/{experiment.pk}/$"))
    expect(live.locator("main")).to_contain_text("cancelled", ignore_case=True)
