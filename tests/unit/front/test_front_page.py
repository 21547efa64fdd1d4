"""The first page: what it says of servers, nights and changes, and that it asks little however much is stored."""

from dataclasses import asdict
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from dashboard.findings import costs, server_verdicts
from dashboard.findings.analysis import analysis_of
from dashboard.findings.conclusion import remember
from dashboard.history import entries
from dashboard.pages.front import lately
from dashboard.records.experiments import live
from dashboard.records.experiments.models import Experiment
from dashboard.records.history.models import Change
from dashboard.records.schedules.models import Night, Schedule
from dashboard.text.numbers import sig
from tests.markup import flat
from tests.unit.history import nights
from tests.unit.results import factory, trials

pytestmark = pytest.mark.django_db
LEVELS = {"1/1": ("1", "1"), "2/0": ("2", "0"), "0/0": ("0", "0")}
QUERIES = 32  # for what is shown; much more is stored than that


def page(client):
    return flat(client.get(reverse("home")).text)


def measured(server, levels=LEVELS, **known):
    """An experiment whose variants say how they commit, with its entries in the history."""
    made = factory.experiment({name: factory.VARIANTS[name] for name in levels}, servers=[server], **known)
    for variant in made.plan["variants"]:
        flush, sync = levels[variant["name"]]
        variant["settings"] = {"innodb_flush_log_at_trx_commit": flush, "sync_binlog": sync, "log_bin": "ON"}
    made.save()
    entries.note(made)
    return made


def crashed(experiment):
    pk = experiment.plan["targets"][0]["server_id"]
    return server_verdicts.verdicts({pk: experiment.pk})[pk]


def test_a_server_that_was_never_measured_says_so(client_in):
    factory.server("db1")
    assert page(client_in).count("not measured") == 2


def test_a_result_that_the_history_has_not_read_is_not_called_missing(client_in):
    server = factory.server("db1")
    made = factory.experiment(servers=[server])
    own = reverse("servers:detail", args=[server.pk])
    html = flat(client_in.get(own).text)
    assert "the figure appears here within a few minutes" in html
    assert html.count("not measured") == 1, "no crash trial"
    entries.note(made)
    assert "the figure appears here" not in flat(client_in.get(own).text)


def test_each_setting_is_told_under_the_crash_that_it_fared_worst_in():
    found = {one.variant: one for one in crashed(trials.experiment()).badges}
    assert (found["1/1"].state, found["2/0"].state, found["0/0"].state) == ("passed", "failed", "failed")
    assert found["1/1"].says == "1/1: nothing lost in 30 power losses, too few to be sure"
    assert (found["1/1"].look, found["2/0"].look) == ("info", "failed")
    assert found["2/0"].says == "2/0: commits lost in 4 of 4 power losses"


def test_commits_that_were_only_read_before_they_were_lost_are_no_other_failure():
    made = trials.experiment({"1/1": {"primary-host-loss": [(0, 0)] * 3}}, replica=False)
    made.trials.filter(pk__in=made.trials.values("pk")[:2]).update(verdict="invalid", phantoms=4)
    assert crashed(made).badges[0].says == "1/1: commits read, then lost in 2 of 3 losses of the primary's host"
    made.trials.update(lost_engine=1, verdict="invalid")
    assert crashed(made).badges[0].says == "1/1: commits lost in 3 of 3 losses of the primary's host"


def test_results_of_recorded_loads_and_of_other_crashes_are_listed_together():
    rates = {"1/1": {"power-loss": trials.HELD, "every-crash-point": [(0, 0), (3, 3)]},
             "0/0": {"power-loss": [(9, 9)], "every-crash-point": [(7, 7)]}}  # fmt: skip
    found = {one.variant: (one.says, one.beside.says) for one in crashed(trials.experiment(rates)).badges}
    assert found["1/1"] == (
        "1/1: commits lost in 1 of 2 loads with crash points",
        "1/1: nothing lost in 1 power loss, too few to be sure",
    )
    assert found["0/0"] == (
        "0/0: commits lost in 1 of 1 power loss",
        "0/0: commits lost in 1 of 1 load with crash points",
    )


@pytest.mark.parametrize(("kind", "says"), [("every-crash-point", True), ("power-loss", False)])
def test_a_recorded_load_is_explained_where_one_is_shown(client_in, kind, says):
    trials.experiment({"1/1": {kind: [(0, 0)]}})
    html = flat(client_in.get(reverse("servers:detail", args=[factory.server().pk])).text)
    assert ("For each of them the disk is rebuilt" in " ".join(html.split())) == says


def test_the_worst_setting_comes_first():
    assert [one.state for one in crashed(trials.experiment()).badges] == ["failed", "failed", "passed"]


def test_unclear_trials_never_pass():
    one = crashed(trials.experiment({"1/1": {"power-loss": [None, None]}})).settings[0]
    assert (one.state, one.says) == ("unknown", "1/1: 2 power losses unclear")


def test_one_valid_trial_among_unclear_ones_is_not_passed():
    one = crashed(trials.experiment({"1/1": {"power-loss": [(0, 0)] + [None] * 29}})).settings[0]
    assert one.state == "unknown"
    assert one.says.endswith("nothing lost in 1 power loss, too few to be sure; 29 more unclear")


def test_a_repeated_trial_does_not_count():
    made = trials.experiment({"1/1": {"power-loss": [(0, 0)]}})
    first = made.trials.first()
    trials.trial(made, first.server_id, "1/1", "power-loss", 2, (900, 900), repeat_of=first)
    assert crashed(made).settings[0].invalid.counts == "0 of 1"


def test_no_verdict_counts_where_the_self_test_failed(client_in):
    lying = {"1/1": {"power-loss": [(0, 0)] * 3, "lying-disk": [(0, 0)]}}
    trials.experiment(lying)
    html = flat(client_in.get(reverse("servers:detail", args=[factory.server().pk])).text)
    assert "self-test failed" in html and "The self-test of the checks failed" in html
    assert "nothing lost" not in html


def test_the_newest_experiment_speaks(client_in):
    trials.experiment({"1/1": {"power-loss": [(5, 5)]}})
    newest = trials.experiment({"1/1": {"power-loss": [(0, 0)]}})
    Experiment.objects.filter(pk=newest.pk).update(name="Crashes of another build")
    html = flat(client_in.get(reverse("servers:detail", args=[factory.server().pk])).text)
    assert "nothing lost in 1 power loss" in html
    assert "commits lost in 1 of 1" not in html
    assert f'from the experiment <a href="/results/{newest.pk}/">“Crashes of another build”</a>' in html


def test_a_deleted_experiment_says_nothing(client_in):
    server = factory.server("Sandbox", kind="sandbox", build="system-mariadb", host="", user="")
    made = trials.experiment({"1/1": {"power-loss": [(5, 5)]}}, servers=[server])
    assert "1 of 1 server may lose commits on power loss." in page(client_in)
    Experiment.objects.filter(pk=made.pk).update(deleted_at=timezone.now())
    measured_too = measured(server)
    assert "on power loss." not in page(client_in)
    assert client_in.get(reverse("home")).context["rows"][0].cost.rival == "0/0"
    Experiment.objects.filter(pk=measured_too.pk).update(deleted_at=timezone.now())
    assert client_in.get(reverse("home")).context["rows"][0].cost is None


def test_the_cost_is_the_ratio_of_the_result_page():
    server = factory.server()
    made = measured(server)
    found = costs.costs([server.pk])[server.pk]
    points = analysis_of(made, "1/1").points
    ratio = next(p.ratio for p in points if p.variant == "0/0" and p.threads == 8)
    interval = f"(95\u00a0% confidence interval {sig(ratio.lo, 2)} to {sig(ratio.hi, 2)})"
    assert found.says == f"0/0 is {sig(ratio.value, 2)} times as fast as 1/1 at 8 threads {interval}"
    assert found.decision == "differs"


def test_the_front_page_the_list_and_the_result_speak_at_one_concurrency(client_in):
    """Of the plan's headline, which is not its highest here."""
    server = factory.server()
    made = measured(server)
    made.plan["main_threads"] = 1
    made.save()
    trials.add(made, {"0/0": {"power-loss": [(9, 9)]}, "1/1": {"power-loss": [(0, 0)]}})
    remember(made)
    result = client_in.get(f"/results/{made.pk}/")
    assert costs.costs([server.pk])[server.pk].says.partition(" (")[0].endswith("at 1 thread")
    said = result.context["crash"].answer.sentences
    assert made.finding == " ".join(said)
    assert "lost nothing in 1 power loss. At 1 thread 0/0 is" in made.finding
    assert result.context["risk"].chart.title.endswith("1 thread")
    assert all("8 threads" not in one for one in result.context["crash"].answer.recommendation.reasons[:1])


def test_a_cost_that_was_not_shown_is_no_factor():
    server = factory.server()
    made = measured(server)
    analysis = asdict(analysis_of(made, "1/1"))
    for point in analysis["points"]:
        if point["ratio"]:
            point["ratio"] |= {"value": 1.56, "lo": 0.34, "hi": 8.13, "decision": "no difference shown"}
    Experiment.objects.filter(pk=made.pk).update(analysis={"1/1": analysis})
    found = costs.costs([server.pk])[server.pk]
    interval = "95\u00a0% confidence interval 0.34 to 8.1"
    assert found.says == (
        "At 8 threads the measurements vary too much to tell whether 0/0 or 1/1 is faster "
        f"(ratio of their speeds, {interval})"
    )


def test_without_1_1_there_is_no_cost():
    server = factory.server()
    measured(server, {"2/0": ("2", "0"), "0/0": ("0", "0")})
    assert costs.costs([server.pk]) == {}


def test_settings_that_differ_otherwise_are_not_compared():
    """0/0 with another buffer pool would not be the price of the flushes."""
    server = factory.server()
    made = measured(server, {"1/1": ("1", "1"), "0/0": ("0", "0")})
    made.plan["variants"][1]["settings"]["innodb_buffer_pool_size"] = "1G"
    made.save()
    server.tracks.all().delete()
    entries.note(made)
    assert costs.costs([server.pk]) == {}


def test_the_newest_pair_is_told():
    server = factory.server()
    measured(server)
    newer = measured(server, {"1/1": ("1", "1"), "2/0": ("2", "0")})
    found = costs.costs([server.pk])[server.pk]
    assert found.says.startswith("2/0 is") and found.experiment_id == newer.pk


def test_a_newer_experiment_without_1_1_does_not_hide_the_cost():
    server = factory.server()
    older = measured(server, {"1/1": ("1", "1"), "0/0": ("0", "0")})
    measured(server, {"2/0": ("2", "0"), "0/0": ("0", "0")})
    measured(server, {"1/1": ("1", "1")})
    assert costs.costs([server.pk])[server.pk].experiment_id == older.pk
    newer = measured(server)
    assert costs.costs([server.pk])[server.pk].experiment_id == newer.pk
    Experiment.objects.filter(pk=newer.pk).update(deleted_at=timezone.now())
    found = costs.costs([server.pk])[server.pk]
    assert (found.experiment_id, found.says[:6]) == (older.pk, "0/0 is")


def scheduled(name="nightly", **known):
    owner = User.objects.get_or_create(username="dba")[0]
    plan = factory.plan([factory.server()]).as_dict()
    return Schedule.objects.create(name=name, plan=plan, cron="30 2 * * *", zone="UTC", runs_as=owner, **known)


def night(schedule, hours_ago, state="started", experiment_state="", **known):
    made = factory.experiment(measured=0, state=experiment_state) if experiment_state else None
    due = timezone.now() - timedelta(hours=hours_ago)
    return Night.objects.create(schedule=schedule, due_at=due, state=state, experiment=made, **known)


def test_nights_are_told_by_what_became_of_them():
    schedule = scheduled()
    night(schedule, 1, experiment_state="done")
    night(schedule, 2, experiment_state="failed")
    night(schedule, 3, "skipped", reason="The server was busy.")
    night(schedule, 4, "missed")
    night(schedule, 5, experiment_state="running")
    night(schedule, 6, "refused")
    night(schedule, 30, "missed")
    found = lately.last_night(timezone.now())
    assert (found.ran, found.failed, found.missed, found.under_way) == (1, 2, 2, 1)
    assert len(found.told) == 4 and not found.is_quiet


def test_all_nights_of_a_day_are_counted():
    schedule, now = scheduled(), timezone.now()
    due = (now - timedelta(minutes=n) for n in range(1, 206))
    Night.objects.bulk_create(Night(schedule=schedule, due_at=at, state="missed") for at in due)
    made = night(schedule, 23, experiment_state="failed")
    Experiment.objects.filter(pk=made.experiment_id).update(deleted_at=now)  # no longer counted
    found = lately.last_night(now)
    assert (found.ran, found.failed, found.missed, len(found.told)) == (0, 0, 205, 5)


def test_an_overdue_schedule_is_told(client_in):
    schedule = scheduled(looked_at=timezone.now() - timedelta(days=3))
    assert lately.last_night(timezone.now()).overdue == [schedule]
    assert "nightly is overdue: the worker or the scheduler (beat) is down" in page(client_in)
    Schedule.objects.update(paused_at=timezone.now())
    assert lately.last_night(timezone.now()).is_quiet


def test_without_schedules_there_is_no_last_night(client_in):
    assert lately.last_night(timezone.now()) is None
    factory.server("db1")
    assert "Nothing is scheduled." in page(client_in)


def test_only_confirmed_changes_are_told(client_in):
    server = factory.server()
    made = nights.history(server, [1000.0] * 5)
    known = {"track": made[0].track, "figure": "throughput", "before": 1000.0, "after": 700.0, "p": 0.001,
             "nights_after": 2, "found_at": timezone.now(), "found_with": made[4]}  # fmt: skip
    change = Change.objects.create(**known, first=made[3], state="suspected")
    assert lately.changes() == [] and "No change of speed" not in page(client_in)
    Change.objects.filter(pk=change.pk).update(state="confirmed")
    assert "Throughput of 1/1 fell by 30" in page(client_in)


def test_a_running_experiment_is_shown_even_if_many_newer_ones_exist(client_in):
    running = factory.experiment(measured=0, state="running", name="the long one")
    Experiment.objects.filter(pk=running.pk).update(created_at=timezone.now() - timedelta(days=1))
    for n in range(10):
        factory.experiment(measured=0, name=f"later {n}")
    assert "the long one" in page(client_in)


def test_the_first_page_says_when_redis_or_a_worker_is_missing(client_in, monkeypatch):
    monkeypatch.setattr("dashboard.pages.front.page.passes", lambda name: False)
    monkeypatch.setattr(live, "problem", lambda: ("is full", "Raise its maxmemory."))
    assert "Redis is full." in page(client_in) and "No worker is alive." in page(client_in)
    monkeypatch.setattr("dashboard.pages.front.page.passes", lambda name: True)
    monkeypatch.setattr(live, "problem", lambda: ("", ""))
    assert "Redis is full." not in page(client_in) and "No worker is alive." not in page(client_in)


def test_a_viewer_is_offered_nothing_that_would_be_refused():
    viewer = Client()
    viewer.force_login(User.objects.create_user("viewer", password="a long test password"))
    assert "Make a sandbox" not in page(viewer) and "Ask an operator to register a server" in page(viewer)


def test_the_first_sandbox_leads_to_the_first_plan(client_in):
    answer = client_in.post(reverse("servers:register") + "?kind=sandbox", {"name": "One", "build": "system-mariadb"})
    assert answer.url == reverse("experiments:new")
    factory.experiment(measured=0)
    answer = client_in.post(reverse("servers:register") + "?kind=sandbox", {"name": "Two", "build": "system-mariadb"})
    assert answer.url.startswith("/servers/")


def stored(servers, experiments):
    for n in range(servers):
        server = factory.server(f"server {n}")
        one = trials.experiment({"1/1": {"power-loss": [(0, 0)]}}, servers=[server], measured=0)
        trials.add(one, {"0/0": {"power-loss": [(3, 3)]}})
        measured(server, threads=(8,), repeats=1, seconds=10)
    plan = factory.plan([factory.server()]).as_dict()
    Experiment.objects.bulk_create(
        Experiment(name=f"old {n}", plan=plan, seed=1, state="done") for n in range(experiments)
    )


def test_the_first_page_needs_no_more_queries_in_a_large_installation(client_in, django_assert_max_num_queries):
    stored(14, 300)
    client_in.get(reverse("home"))
    with django_assert_max_num_queries(QUERIES):
        answer = client_in.get(reverse("home"))
    assert answer.text.count('<th scope="row"') >= 15


def test_the_cost_takes_as_many_questions_for_one_set_of_other_settings_as_for_many(django_assert_num_queries):
    server = factory.server()
    for size in range(1, 8):
        made = measured(server)
        for variant in made.plan["variants"]:
            variant["settings"]["innodb_buffer_pool_size"] = f"{size}G"
        made.save()
        server.tracks.filter(entries__experiment=made).delete()
        entries.note(made)
        costs.costs([server.pk])  # stores the analysis
        with django_assert_num_queries(4):
            assert costs.costs([server.pk])[server.pk].experiment_id == made.pk
