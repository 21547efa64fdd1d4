"""Speed against risk as data: points, shapes, the reader's own setting, sentences."""

import re
from dataclasses import replace

import pytest
from django.urls import reverse

from dashboard.charts.registry import draw
from dashboard.findings.answer import answer
from dashboard.findings.conclusion import conclusion
from dashboard.findings.crash.losses import of_a_failover
from dashboard.findings.crash.self_test import self_test
from dashboard.pages.results.page import shown_to
from dashboard.records.experiments.models import TrialEvidence
from tests.unit.results import factory, trials


def risk(client, experiment, **query):
    return client.get(reverse("results:chart", args=[experiment.pk, "risk", "json"]), query).json()


def told(experiment):
    return conclusion(experiment, shown_to(experiment, {}, shared=False))


@pytest.mark.django_db
def test_each_setting_stands_at_its_loss_and_throughput(client_in):
    chart = risk(client_in, trials.experiment(), mine=1, lost="engine")
    assert chart["kind"] == "risk"
    points = {one["name"]: one["points"][0] for one in chart["series"]}
    assert {name: point["x"] for name, point in points.items()} == {"1/1": 0, "2/0": 1325, "0/0": 2300}
    assert (points["2/0"]["x_lo"], points["2/0"]["x_hi"]) == (1162, 3630)
    assert points["1/1"]["mark"] == "lost nothing in 30 power losses"
    assert points["0/0"]["y"] > points["2/0"]["y"] > points["1/1"]["y"] > 1000
    assert points["1/1"]["lo"] < points["1/1"]["y"] < points["1/1"]["hi"]
    assert [(one["name"], one["replica"], one["mine"], one["colour"]) for one in chart["series"]] == [
        ("1/1", "agree", False, 0), ("2/0", "diverge", True, 1), ("0/0", "diverge", False, 2),
    ]  # fmt: skip
    assert chart["x"]["label"] == "acknowledged commits lost from InnoDB per power loss, median"


@pytest.mark.django_db
def test_a_topology_whose_primary_lost_its_power_stands_beside_servers_that_did(client_in):
    experiment = trials.experiment()
    experiment.trials.filter(variant="2/0", kind="power-loss").update(kind="primary-power-loss")
    chart = risk(client_in, experiment, lost="engine")
    assert {one["name"]: one["points"][0]["x"] for one in chart["series"]} == {"1/1": 0, "2/0": 1325, "0/0": 2300}
    failed_over = risk(client_in, experiment, crash="primary-power-loss", lost="engine")
    assert [one["name"] for one in failed_over["series"]] == ["2/0"]


@pytest.mark.django_db
def test_the_chart_follows_the_chosen_crash_threads_and_log(client_in):
    experiment = trials.experiment()
    killed = risk(client_in, experiment, crash="process-kill", threads=0)
    assert "process kill, 1 thread" in killed["title"]
    assert {one["name"]: one["points"][0]["x"] for one in killed["series"]} == {"1/1": 0, "2/0": 0, "0/0": 1150}
    binlog = risk(client_in, experiment, lost="binlog")
    assert binlog["x"]["label"] == "acknowledged commits lost from the binary log per power loss, median"
    assert {one["name"]: one["points"][0]["x"] for one in binlog["series"]}["2/0"] == 18250
    assert risk(client_in, experiment, crash="'x", lost="<b>", mine="99")["title"].endswith("power loss, 8 threads")


@pytest.mark.django_db
def test_the_table_of_the_chart_lists_settings_that_are_not_drawn(client_in):
    rates = {"1/1": {"power-loss": [(0, 0)]}, "2/0": {"power-loss": [None]}}
    chart = risk(client_in, trials.experiment(rates))
    assert [one["name"] for one in chart["series"]] == ["1/1"]
    assert [row[0] for row in chart["table"]["rows"]] == ["1/1", "2/0"]
    assert chart["table"]["rows"][1][4:6] == [0, None]


@pytest.mark.django_db
def test_an_empty_chart_says_why(client_in):
    unmeasured = risk(client_in, trials.experiment({"1/1": {"power-loss": [(0, 0)]}}, measured=0))
    assert "No throughput was measured" in unmeasured["empty"]
    undecided = risk(client_in, trials.experiment({"1/1": {"power-loss": [None]}}))
    assert undecided["empty"] == "No power loss has a verdict yet."
    assert unmeasured["series"] == undecided["series"] == []


@pytest.mark.django_db
def test_where_the_self_test_failed_nothing_is_drawn_and_it_says_why(client_in):
    rates = {"1/1": {"power-loss": [(0, 0)], "lying-disk": [(0, 0)]}, "2/0": {"power-loss": [(5, 5)]}}
    chart = risk(client_in, trials.experiment(rates))
    assert chart["empty"].startswith("The self-test of the checks failed: 1 of 1 lying disk not flagged")
    assert chart["series"] == []


@pytest.mark.django_db
def test_the_chart_lists_settings_that_are_not_drawn_and_its_sources():
    def drawn(experiment):
        return draw("risk", shown_to(experiment, {}, shared=False))

    whole = drawn(trials.experiment({"1/1": {"power-loss": [(0, 0)]}, "2/0": {"power-loss": [(5, 5)]}}))
    assert whole.source == "sysbench; crash trials on a simulated disk" and "Not drawn" not in whole.note
    assert whole.title == "Speed against risk: power loss, 8 threads" and whole.y.can_toggle_log
    assert "a longer load" not in whole.note
    every = trials.experiment(
        {"1/1": {"power-loss": [(0, 0)]}, "2/0": {"power-loss": [(5, 5)]}, "0/0": {"power-loss": [(5, 22000)]}}
    )
    assert "0/0 lost the whole load. " in drawn(every).note
    partly = drawn(trials.experiment({"1/1": {"power-loss": [(0, 0)]}, "2/0": {"power-loss": [None]}}))
    assert partly.note.endswith("Not drawn, because speed or loss was not measured: 2/0.")
    none = drawn(trials.experiment({"1/1": {"power-loss": [(0, 0)]}}, measured=0))
    assert (none.source, none.title) == ("", "Speed against risk: power loss")


@pytest.mark.django_db
def test_a_setting_that_failed_without_such_a_loss_is_marked(client_in):
    one = trials.experiment({"1/1": {"power-loss": [(0, 70), (0, 80)]}})
    assert risk(client_in, one, lost="engine")["series"][0]["points"][0]["mark"].endswith("; 2 failed in another way")


@pytest.mark.django_db
def test_unless_a_place_is_chosen_it_draws_where_more_was_lost(client_in):
    one = trials.experiment({"1/1": {"power-loss": [(0, 70), (90, 80)]}})
    (point,) = risk(client_in, one)["series"][0]["points"]
    assert (point["x"], point["x_lo"], point["x_hi"]) == (80, 70, 90)


FAST = {"1/1": 1000.0, "2/1": 4000.0}


@pytest.mark.django_db
def test_the_loss_drawn_is_the_median_of_the_crashes_that_lost_commits(client_in):
    """14 of 30 crashes lose 1,200: the median of all is 0. As in sentences it is the median of those 14."""
    rates = {"1/1": {"power-loss": [(0, 0)] * 30}, "2/1": {"power-loss": [(0, 0)] * 16 + [(1200, 1200)] * 14}}
    chart = risk(client_in, trials.experiment(rates, levels=FAST))
    assert {one["name"]: one["points"][0]["x"] for one in chart["series"]} == {"1/1": 0, "2/1": 1200}
    assert chart["series"][1]["points"][0]["mark"] == "lost commits in 14 of 30 power losses"


@pytest.mark.django_db
def test_servers_that_did_not_come_back_are_counted_beside_the_point(client_in):
    rates = {"1/1": {"power-loss": [(0, 0)] * 30}, "2/1": {"power-loss": [(0, 0)] * 30}}
    experiment = trials.experiment(rates, levels=FAST)
    assert [one["name"] for one in risk(client_in, experiment)["series"]] == ["1/1", "2/1"]
    down = experiment.trials.filter(variant="2/1", repeat__lte=10)
    down.update(verdict="invalid", recovery_s=None, lost_engine=None, lost_engine_ms=None)
    chart = risk(client_in, experiment)
    assert chart["series"][1]["points"][0]["mark"].endswith("; 10 failed in another way")


@pytest.mark.django_db
def test_the_sentence_holds_speed_against_loss():
    found = told(trials.experiment())
    speed = r"At 8 threads 0/0 is 6\.0 times as fast as 1/1 \(95\u00a0% confidence interval 5\.\d to 6\.\d\)"
    assert re.match(
        f"{speed}, but lost acknowledged commits .*\\(the binary log lost a median of 20,000 commits", found.text
    )
    assert found.more[0].startswith("1/1 lost nothing in 30 power losses (up to 12")


@pytest.fixture
def two_servers(db):
    """Both measured; crashes by the test."""
    return trials.experiment(
        {}, levels={"1/1": 1000.0, "0/0": 6000.0}, servers=[factory.server("a"), factory.server("b")]
    )


def crash(experiment, place, **lost):
    """`safe`, `fast`: losses of the trials of 1/1 and 0/0 on the server at this place."""
    server_id = experiment.plan["targets"][place]["server_id"]
    for variant, losses in (("1/1", lost["safe"]), ("0/0", lost["fast"])):
        for repeat, one in enumerate(losses, start=1):
            trials.trial(experiment, server_id, variant, "power-loss", repeat, one)


def test_the_sentence_holds_speed_and_loss_of_one_server(two_servers):
    """The first server is measured, and none of its crashes has a verdict."""
    crash(two_servers, 0, safe=[None], fast=[None])
    crash(two_servers, 1, safe=[(0, 0)] * 3, fast=[(70, 70)] * 3)
    found = told(two_servers)
    assert re.match(
        r"At 8 threads on b 0/0 is 6\.\d times as fast as 1/1 .*, "
        r"but lost acknowledged commits .*\(both InnoDB and the binary log lost a median of 70 commits",
        found.text,
    )
    assert found.more[0].startswith("1/1, b lost nothing in 3 power losses")
    assert found.more[1] == "On a no crash trial has a verdict."


def test_each_further_server_has_its_sentence(two_servers):
    crash(two_servers, 0, safe=[(0, 0)] * 3, fast=[(5, 5)] * 3)
    crash(two_servers, 1, safe=[(0, 0)] * 3, fast=[(70, 70)] * 3)
    found = told(two_servers)
    assert (
        found.text.startswith("At 8 threads on a 0/0 is")
        and "(both InnoDB and the binary log lost a median of 5 commits" in found.text
    )
    assert found.more[0].startswith("1/1, a lost nothing")
    assert (
        found.more[1].startswith("At 8 threads on b 0/0 is")
        and "(both InnoDB and the binary log lost a median of 70 commits" in found.more[1]
    )


def test_a_server_without_a_trial_of_the_pair_borrows_none(two_servers):
    """0/0 has a verdict on the first server, 1/1 on the second: neither sentence joins the two."""
    crash(two_servers, 0, safe=[None], fast=[(5, 5)])
    crash(two_servers, 1, safe=[(0, 0)], fast=[None])
    found = told(two_servers)
    assert found.text.startswith("0/0, a lost acknowledged commits")
    assert found.more[0].startswith("1/1, b lost nothing in 1 power loss")
    assert not any("times as fast" in said for said in (found.text, *found.more))


@pytest.mark.django_db
def test_the_sentence_gives_no_speed_that_was_not_shown():
    experiment = trials.experiment()
    known = shown_to(experiment, {}, shared=False)
    for decision in ("no difference shown", "not decidable"):
        pairs = known.analysis.headline
        planned = tuple(replace(one, ratio=replace(one.ratio, decision=decision)) for one in pairs)
        found = conclusion(experiment, replace(known, analysis=replace(known.analysis, headline=planned)))
        assert found.text.startswith("0/0 lost acknowledged commits")
        speed = {
            "not decidable": "the measurements vary too much to tell",
            "no difference shown": "0/0 and 1/1 are about equally fast",
        }
        assert f"; at 8 threads {speed[decision]}" in found.text
        assert found.more[0].startswith("1/1 lost nothing in 30 power losses")
        assert "times as fast" not in " ".join(found.more)


@pytest.mark.django_db
def test_the_sentence_is_of_the_pair_of_the_plan_whatever_another_setting_did():
    """2/0 loses as much and is as fast as anything: the plan asks of 0/0, so the sentence does."""
    experiment = trials.experiment(levels={"1/1": 1000.0, "2/0": 90_000.0, "0/0": 6000.0})
    assert told(experiment).text.startswith("At 8 threads 0/0 is 6.0 times as fast as 1/1")
    experiment.plan = {**experiment.plan, "main_variant": "2/0", "main_threads": 1}
    experiment.analysis = {}
    experiment.save()
    assert told(experiment).text.startswith("At 1 thread 2/0 is 9")


@pytest.mark.django_db
def test_the_sentence_does_not_change_with_the_readers_baseline():
    experiment = trials.experiment()
    known = shown_to(experiment, {"baseline": "2"}, shared=False)
    assert known.baseline == "0/0"
    assert conclusion(experiment, known) == told(experiment)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("rates", "text"),
    [
        ({"1/1": {"power-loss": [(0, 0)] * 3}}, "1/1 lost nothing in 3 power losses"),
        ({"1/1": {"power-loss": [(5, 5)] * 2}}, "1/1 lost acknowledged commits"),
        ({"1/1": {"power-loss": [None]}}, "No crash trial has a verdict"),
    ],
)
def test_the_sentence_without_one_side(rates, text):
    assert told(trials.experiment(rates)).text.startswith(text)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("unclear", "says"), [(1, "1 trial is unclear. It may"), (2, "2 trials are unclear. Each may")]
)
def test_trials_without_a_verdict_are_counted_in_the_text(unclear, says):
    found = told(trials.experiment({"1/1": {"power-loss": [(0, 0), *[None] * unclear]}}))
    assert f"{says} have lost commits or not; the percentages allow for both." in found.more


@pytest.mark.django_db
def test_a_repeated_trial_is_no_part_of_what_told_nothing():
    experiment = trials.experiment({"1/1": {"power-loss": [(0, 0)] * 2}})
    first = experiment.trials.first()
    for fields in ({}, {"state": "waiting", "verdict": ""}):
        trials.trial(experiment, first.server_id, "1/1", "power-loss", 1, None, repeat_of=first, **fields)
    assert not any("unclear" in said or "not finished" in said for said in told(experiment).more)


def test_a_setting_is_recommended_on_the_chart_of_one_server_only(two_servers):
    """It may hold on one and fail on another."""
    crash(two_servers, 0, safe=[(0, 0)] * 3, fast=[(9, 9)] * 3)
    crash(two_servers, 1, safe=[(7, 7)] * 3, fast=[(9, 9)] * 3)
    recommended = {}
    for server in ("", "0", "1"):
        view = shown_to(two_servers, {"server": server}, shared=False)
        told = answer(view, conclusion(two_servers, view), self_test(view.trials))
        found = told.recommendation
        recommended[server] = found and found.option
    assert recommended == {"": "", "0": "1/1", "1": ""}
    assert told.sentences[0] == "All tested settings lost acknowledged commits."  # not only those that are compared


@pytest.mark.django_db
@pytest.mark.parametrize(("trial", "says"), [(None, " Whether 1/1 loses any is unclear."), ((5, 5), "")])
def test_beside_settings_that_lost_commits_an_unclear_one_is_named(trial, says):
    rates = {"1/1": {"power-loss": [(0, 0), trial]}, "0/0": {"power-loss": [(9, 9)]}, "2/0": {"power-loss": [(9, 9)]}}
    experiment = trials.experiment(rates)
    view = shown_to(experiment, {}, shared=False)
    first = answer(view, conclusion(experiment, view), self_test(view.trials)).sentences[0]
    assert first.endswith(f"lost acknowledged commits.{says}")


@pytest.mark.django_db
def test_shapes_tell_of_replicas_only_where_one_was_tried(client_in):
    alone = trials.experiment({"1/1": {"power-loss": [(0, 0)]}, "2/0": {"power-loss": [(5, 5)]}}, replica=False)
    assert {one["replica"] for one in risk(client_in, alone)["series"]} == {""}
    assert {one["replica"] for one in risk(client_in, trials.experiment())["series"]} == {"agree", "diverge"}


@pytest.mark.django_db
def test_durability_by_disk_and_by_replication_are_told_apart():
    experiment = trials.experiment()
    experiment.trials.filter(variant="2/0", kind="power-loss").update(kind="primary-power-loss")
    for one in experiment.plan["variants"]:
        one["topology"] = "semi-sync+rtt=5ms" if one["name"] == "2/0" else ""
    experiment.save()
    chart = draw("risk", shown_to(experiment, {}, shared=False))
    assert {one.name: (one.nodes, "; round trip 5 ms" in one.dots[0].mark) for one in chart.series} == {
        "1/1": ("one", False), "2/0": ("several", True), "0/0": ("one", False),
    }  # fmt: skip
    note = chart.note
    assert "2/0: several nodes, round trip 5 ms, only the primary is struck" in note
    assert "The other settings are one server" in note and "When all nodes lose power" in note
    alone = draw("risk", shown_to(experiment, {"crash": "process-kill"}, shared=False)).note
    assert "Not drawn" not in alone or "not tried with this crash" in alone


@pytest.mark.django_db
def test_an_old_primary_with_other_rows_is_named():
    experiment = trials.experiment()
    experiment.trials.filter(variant="2/0", kind="power-loss").update(kind="primary-power-loss", lost_engine=0)
    for one in experiment.plan["variants"]:
        one["topology"] = "semi-sync" if one["name"] == "2/0" else ""
    experiment.save()
    for trial in experiment.trials.filter(kind="primary-power-loss"):
        rejoin = {"state": "caught up", "says": "", "different_rows": 7}
        TrialEvidence.objects.update_or_create(trial=trial, defaults={"data": {"failover": {"rejoin": rejoin}}})
    view = shown_to(experiment, {}, shared=False)
    tally = next(one.tally for one in view.settings if one.name == "2/0")
    assert tally.differs == len(tally.decided) > 0
    assert any("old primary follows with other rows" in said for said in of_a_failover(tally))
