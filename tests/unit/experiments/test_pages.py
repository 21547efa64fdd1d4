import pytest
from django.urls import reverse

from dashboard.records.experiments import actions
from dashboard.records.experiments.models import Experiment
from dashboard.records.fleet.models import Worker
from dashboard.records.servers.models import Server
from tests.unit.experiments.test_form import filled
from workers.bench import recipes

AWKWARD = "<b>'Ärger\" \N{PILE OF POO}</b>"


@pytest.fixture
def server(db):
    return Server.objects.create(name="Sandbox", kind="sandbox", build="system-mariadb")


@pytest.fixture
def notified(monkeypatch):
    """Experiments that a worker was notified of."""
    heard: list[int] = []
    monkeypatch.setattr(actions, "notify_workers", heard.append)
    return heard


def plan(server, **overrides):
    return actions.plan_recipe(recipes.load("what-does-safety-cost"), [server], overrides)


def test_home_leads_to_a_first_server(client_in):
    page = client_in.get(reverse("home"))
    assert "Make a sandbox" in page.text


def test_home_offers_recipes_once_there_is_a_server(client_in, server):
    page = client_in.get(reverse("home"))
    assert "What does safety cost?" in page.text


def test_a_valid_form_starts_an_experiment(client_in, server, notified):
    answer = client_in.post(reverse("experiments:new"), filled(server))
    experiment = Experiment.objects.get()
    assert answer.url == reverse("experiments:show", args=[experiment.pk])
    assert experiment.cells.count() == 2 * 2 * 2
    assert notified == [experiment.pk]


def test_a_plan_that_cannot_run_is_not_started(client_in, server, notified):
    answer = client_in.post(reverse("experiments:new"), filled(server, threads="0, 1000000", measure_s="-1"))
    assert answer.status_code == 422
    assert "Nothing was started" in answer.text
    assert "Threads: 1000000" in answer.text
    assert not Experiment.objects.exists() and notified == []


def test_the_plan_is_reviewed_while_its_author_types(client_in, server):
    good = client_in.post(reverse("experiments:review"), filled(server)).json()
    assert (good["refusals"], good["cells"]) == ([], 8)
    bad = client_in.post(reverse("experiments:review"), filled(server, threads="x")).json()
    assert "whole numbers" in bad["refusals"][0]


def test_names_are_text_wherever_they_are_shown(client_in, server, notified):
    client_in.post(reverse("experiments:new"), filled(server, name=AWKWARD, own_variants=f"{AWKWARD}: sync_binlog=1"))
    experiment = Experiment.objects.get()
    for address in (reverse("home"), reverse("experiments:list"), reverse("experiments:show", args=[experiment.pk])):
        page = client_in.get(address).text
        assert "<b>'" not in page
        assert "&lt;b&gt;" in page


def test_the_experiment_is_kept_when_redis_does_not_answer(client_in, server, settings):
    answer = client_in.post(reverse("experiments:new"), filled(server), follow=True)
    assert "Redis) does not answer" in answer.text
    assert Experiment.objects.get().state == "queued"


def test_cancelling_a_queued_experiment_ends_it(client_in, server):
    experiment = actions.create(plan(server), None)
    client_in.post(reverse("experiments:cancel", args=[experiment.pk]))
    experiment.refresh_from_db()
    assert experiment.state == "cancelled"
    assert set(experiment.cells.values_list("state", flat=True)) == {"cancelled"}


def test_resuming_notifies_the_workers(client_in, server, notified):
    experiment = actions.create(plan(server), None)
    actions.cancel(experiment, None)
    client_in.post(reverse("experiments:resume", args=[experiment.pk]))
    experiment.refresh_from_db()
    assert experiment.state == "queued" and notified == [experiment.pk]


def test_progress_can_be_polled(client_in, server):
    experiment = actions.create(plan(server), None)
    state = client_in.get(reverse("experiments:progress", args=[experiment.pk])).json()
    total = experiment.cells.count() + experiment.trials.count()
    assert (state["state"], state["total"]) == ("queued", total)
    assert state["activity"] == "No worker is alive on site local; start one there: manage.py worker"
    Worker.objects.create(host="here", pid=1)
    again = client_in.get(reverse("experiments:progress", args=[experiment.pk])).json()
    assert again["activity"] == "waiting for a worker"


def test_an_experiment_that_is_not_there_is_not_found(client_in):
    for name in ("show", "progress"):
        assert client_in.get(reverse(f"experiments:{name}", args=[99])).status_code == 404


def test_a_production_server_needs_a_yes(client_in, server, notified):
    Server.objects.create(name="prod", kind="attached", host="db1", label="production", user="x")
    chosen = Server.objects.get(name="prod").pk
    form = filled(server, servers=[chosen], binlog="keep")
    assert "prod (production, attached)" in client_in.get(reverse("experiments:new")).content.decode()
    assert client_in.post(reverse("experiments:new"), form).status_code == 422
    assert client_in.post(reverse("experiments:new"), {**form, "production_confirmed": "on"}).status_code == 302
