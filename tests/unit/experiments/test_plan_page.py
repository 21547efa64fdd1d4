"""The plan's form folds what has a default, marks the server's present setting, and starts once."""

from functools import partial

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from dashboard.pages.experiments.form_groups import groups, product
from dashboard.pages.experiments.forms import PlanForm
from dashboard.records.experiments import actions, care
from dashboard.records.experiments.models import Experiment
from dashboard.records.servers.models import Preflight, Server
from tests.at_once import at_once
from tests.unit.bench.plans import plan
from tests.unit.experiments.test_form import filled
from workers.bench import recipes
from workers.bench.plan import CrashPlan

NEW = "/experiments/new/"


@pytest.fixture
def server(db):
    return Server.objects.create(name="Sandbox", kind="sandbox", build="system-mariadb")


@pytest.fixture
def notified(monkeypatch):
    heard: list[int] = []
    monkeypatch.setattr(actions, "notify_workers", heard.append)
    return heard


GUARDRAILS = (
    "stops at replica lag above 10 s, more than 50 running threads of other clients, "
    "less than 2 GiB of free disk space, p99 of Durascope's own probe commits above 1,000 ms"
)


def asked(server, flush_log, sync_binlog):
    settings = {"innodb_flush_log_at_trx_commit": flush_log, "sync_binlog": sync_binlog}
    Preflight.objects.create(server=server, state="done", asked_at=timezone.now(), facts={"settings": settings})


def lines(form):
    return {key: group.summary for key, group in groups(form).items() if group.summary}


def test_the_crash_trials_of_the_self_test_are_counted_apart():
    crash, each = CrashPlan(kinds=("power-loss", "process-kill"), trials=3), 3 * len(plan().variants)
    assert product(plan(crash=crash)).endswith(
        f". Crash trials: {each} power losses + {each} process kills + 2 for the self-test of the checks"
    )
    assert "Crash trials" not in product(plan())


def test_the_defaults_of_each_group_stand_in_one_line(server):
    assert lines(PlanForm()) == {
        "compared": "Binary log on, the installed version, the disk of its host",
        "load": "Update one row by key, in a table of 10,000 rows",
        "crash": "None: only speed is measured, the result will not say what is lost",
        "length": "3 repeats of 10 s, fsyncs and group commits are counted",
        "guard": f"On attached servers: {GUARDRAILS}",
    }


def test_a_server_that_is_not_a_sandbox_keeps_its_binary_log(server):
    """A sandbox has none unless the plan says so, and sync_binlog would change nothing there."""
    attached = Server.objects.create(name="db1", kind="attached", host="db1")
    as_it_is = "Binary log on or off as the server has it"
    assert lines(PlanForm())["compared"].startswith(as_it_is)
    assert lines(PlanForm(server=str(attached.pk)))["compared"].startswith(as_it_is)
    assert lines(PlanForm(server=str(server.pk)))["compared"].startswith("Binary log on,")


def test_a_plan_that_leaves_a_sandbox_without_a_binary_log_says_so(client_in, server):
    def notes(binlog):
        return client_in.post(reverse("experiments:review"), filled(server, binlog=binlog)).json()["notes"]

    assert notes("on") == [] and [one for one in notes("keep") if "Sandbox has no binary log with" in one] != []


def test_a_line_follows_the_fields(client_in, server):
    changed = filled(
        server, storage="hdd-10k", own_variants="mine: sync_binlog=1", baseline="mine", table_rows="many", trials="4",
        kinds=["power-loss", "process-kill"], replica="on", repeats="1", sources=["status"], load_workers="2",
        max_lag_s="2.5",
    )  # fmt: skip
    assert client_in.post(reverse("experiments:review"), changed).json()["summaries"] == {
        "compared": "Binary log on, the installed version, hdd-10k, 1 variant of your own. Baseline: mine",
        "load": "Update one row by key, in a table of many rows",
        "crash": "For each setting 4 x process kill, 4 x power loss, with a replica. 16 clients insert rows",
        "length": "1 repeat of 5 s, fsyncs and group commits are counted from 1 of 6 sources, load from 2 workers",
        "guard": f"On attached servers: {GUARDRAILS.replace('above 10 s', 'above 2.5 s')}",
    }


@pytest.mark.parametrize(
    ("field", "value", "group"),
    [
        ("own_variants", "no colon", "compared"),
        ("table_rows", "x", "load"),
        ("clients", "x", "crash"),
        ("repeats", "", "length"),
    ],
)
def test_the_group_of_a_wrong_field_is_open(client_in, server, field, value, group):
    answer = client_in.post(NEW, filled(server, **{field: value}))
    assert [key for key, one in answer.context["groups"].items() if one.is_open] == [group]
    assert answer.text.count('<details class="evidence" open>') == 1


def test_the_present_setting_is_ticked_and_marked(client_in, server):
    asked(server, "1", "1")
    asked(server, "1", "0")
    page = client_in.get(NEW)
    assert page.context["form"].initial["variants"] == ["1/1", "2/0", "0/0", "1/0"]
    assert page.context["form"].present == {server.pk: "1/0"}
    assert '<b class="yours" data-yours="1/0">' in page.text
    assert page.text.count('<b class="yours" hidden') == 5


def test_a_present_setting_beside_the_usual_ones_can_be_measured(client_in, server):
    asked(server, "2", "100")
    form = PlanForm(filled(server, variants=["2/100"]))
    assert form.is_valid(), form.errors
    assert form.plan().variants[0].settings["sync_binlog"] == "100"


def test_a_recipe_stays_what_it_is(server):
    asked(server, "1", "0")
    assert "1/0" not in PlanForm(recipe="what-does-safety-cost").initial["variants"]


def test_the_same_form_starts_once(client_in, server, notified):
    first, again = (client_in.post(NEW, filled(server, start_key="k")) for _ in range(2))
    assert first.url == again.url
    assert notified == [Experiment.objects.get().pk]


def test_a_form_that_was_changed_starts_another(client_in, server, notified):
    client_in.post(NEW, filled(server, start_key="k"))
    client_in.post(NEW, filled(server, start_key="k", threads="2"))
    assert len(notified) == Experiment.objects.count() == 2


def test_a_refused_form_can_be_corrected_and_sent(client_in, server, notified):
    refused = client_in.post(NEW, filled(server, start_key="k", threads="x"))
    assert refused.context["start_key"] == "k"
    assert client_in.post(NEW, filled(server, start_key="k")).status_code == 302


def test_a_form_whose_experiment_was_deleted_says_so(client_in, server, notified, admin):
    client_in.post(NEW, filled(server, start_key="k"))
    experiment = Experiment.objects.get()
    actions.cancel(experiment, admin)
    care.delete(admin, Experiment.objects.get())
    assert "was deleted since" in client_in.post(NEW, filled(server, start_key="k")).text
    assert not Experiment.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_two_starts_at_the_same_moment_are_one(server, notified, admin):
    def send():
        client = Client()
        client.force_login(admin)
        return client.post(NEW, filled(server, start_key="k")).url

    assert len(set(at_once(*[partial(send)] * 2))) == 1
    assert notified == [Experiment.objects.get().pk]


def stored(server, **changed):
    return actions.create(
        actions.plan_recipe(recipes.load("what-does-safety-cost"), [server], changed),
        None,
        recipe="what-does-safety-cost",
    )


def test_run_again_fills_the_form_from_the_stored_plan(client_in, server):
    other = Server.objects.create(name="Other", kind="sandbox", build="system-mariadb")
    experiment = stored(server, threads="3,5", measure_s="4")
    page = client_in.get(f"{NEW}?from={experiment.pk}")
    form, chosen = page.context["form"], page.context["chosen"]
    assert f'From <a href="{reverse("experiments:show", args=[experiment.pk])}">' in page.text
    assert (form.initial["servers"], form.initial["threads"]) == ([server.pk], "3, 5")
    assert other.pk not in form.initial["servers"] and chosen is None
    again = PlanForm({"binlog": "keep", **form.initial})
    assert again.is_valid(), again.errors
    assert again.plan().variants == recipes.load("what-does-safety-cost").plan([]).variants


def test_more_trials_of_a_crash_are_filled_in_and_anything_else_is_ignored(client_in, server):
    address = f"{NEW}?from={stored(server).pk}"
    plain, more, wrong = (
        client_in.get(f"{address}{asked}").context["form"].initial
        for asked in ("", "&crash=power-loss&trials=72", "&crash=%3Cb%3E&trials=-1")
    )
    assert (more["kinds"], more["trials"]) == (["power-loss"], 72) and wrong["trials"] == plain["trials"] != 72
    assert {key for key in plain if plain[key] != more[key]} == {"kinds", "trials"}


def test_run_again_keeps_the_recipe_of_a_plan_that_was_not_changed(client_in, server):
    experiment = stored(server)
    page = client_in.get(f"{NEW}?from={experiment.pk}")
    assert page.context["chosen"].key == "what-does-safety-cost"


@pytest.mark.parametrize("asked_for", ["99", "x", "9" * 40])
def test_run_again_of_an_unknown_experiment_gives_a_new_plan(client_in, server, asked_for):
    page = client_in.get(f"{NEW}?from={asked_for}")
    assert page.status_code == 200 and "was not found. The form shows a new plan." in page.text
    assert page.context["source"] is None and page.context["form"].initial["variants"] == ["1/1", "2/0", "0/0"]


def test_run_again_of_a_deleted_experiment_gives_a_new_plan(client_in, server, admin):
    experiment = stored(server)
    actions.cancel(experiment, admin)
    care.delete(admin, Experiment.objects.get())
    assert client_in.get(f"{NEW}?from={experiment.pk}").context["source"] is None
