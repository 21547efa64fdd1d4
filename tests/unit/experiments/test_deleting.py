"""A deleted experiment is nowhere, can be brought back as it was, and is gone for good after a month."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from dashboard.findings.nights import shown
from dashboard.history import entries, update
from dashboard.pages.monitoring.figures import told
from dashboard.pages.reproduction.statements import newest
from dashboard.records.accounts.role import Role
from dashboard.records.audit.models import Event
from dashboard.records.experiments import care, queries
from dashboard.records.experiments.actions import queue_unfinished
from dashboard.records.experiments.care import baseline_for, remove_one
from dashboard.records.experiments.models import KEPT_FOR, Cell, Environment, Experiment, Run, Trial
from dashboard.records.fleet import task_queue
from dashboard.records.history.models import Change, Entry
from dashboard.records.history.queries import not_noted, rows
from dashboard.records.holds.models import HostLease, PendingRestore
from dashboard.records.schedules.models import Night, Schedule
from dashboard.records.schedules.queries import nights_of
from dashboard.records.servers.models import Server
from dashboard.records.servers.queries import lines, why_kept
from dashboard.records.sharing import actions as sharing
from tests.unit.api.tokens import script, somebody
from tests.unit.history import nights
from tests.unit.results import factory, trials
from workers.errors import PlanError

pytestmark = pytest.mark.django_db


@pytest.fixture
def experiment(db):
    return trials.experiment(name="Gone tomorrow")


@pytest.fixture
def gone(experiment, admin):
    care.delete(admin, experiment)
    return experiment


def addresses(experiment, token):
    run = Run.objects.filter(cell__experiment=experiment).first()
    trial = experiment.trials.first()
    return [
        f"/experiments/{experiment.pk}/",
        f"/experiments/{experiment.pk}/progress/",
        f"/results/{experiment.pk}/",
        f"/results/{experiment.pk}/trials/",
        f"/results/cell/{run.cell_id}/" if run else f"/results/{experiment.pk}/",
        f"/results/trials/{trial.pk}/",
        f"/experiments/{experiment.pk}/share/",
        f"/history/of/{experiment.pk}/",
        f"/share/{token}/",
        f"/api/v1/experiments/{experiment.pk}",
        f"/api/v1/experiments/{experiment.pk}/result",
        f"/api/v1/experiments/{experiment.pk}/progress",
        f"/api/v1/experiments/{experiment.pk}/trials",
        f"/api/v1/experiments/{experiment.pk}/links",
        f"/api/v1/trials/{trial.pk}",
    ]


def answers(client, api, paths):
    return {path: (api if path.startswith("/api") else client).get(path).status_code for path in paths}


def test_a_deleted_experiment_is_on_no_page_and_can_be_restored(client_in, admin, experiment):
    _, token = sharing.share(admin, experiment)
    paths, api = addresses(experiment, token), script(admin)
    before = answers(client_in, api, paths)
    assert before[f"/api/v1/experiments/{experiment.pk}"] == 200 and before[f"/share/{token}/"] == 200
    there = {path for path, status in before.items() if status < 400}
    lists = ("/", "/experiments/", "/results/compare/", "/servers/")
    assert any("Gone tomorrow" in client_in.get(path).text for path in lists)
    care.delete(admin, experiment)
    assert {path: status for path, status in answers(client_in, api, there).items() if status != 404} == {}
    for path in lists:
        assert "Gone tomorrow" not in client_in.get(path).text, path
    assert api.get("/api/v1/experiments").json()["count"] == 0
    care.restore(admin, experiment)
    assert answers(client_in, api, paths) == before


def test_deleting_offers_to_undo(client, experiment):
    client.force_login(somebody(Role.OPERATOR))
    answer = client.post(reverse("experiments:delete", args=[experiment.pk]), follow=True)
    assert "Gone tomorrow" in answer.text and "Undo" in answer.text and "No experiment yet" in answer.text
    back = client.post(reverse("experiments:restore", args=[experiment.pk]), follow=True)
    assert "is restored." in back.text and Experiment.objects.filter(pk=experiment.pk).exists()
    again = client.get(reverse("experiments:list") + f"?undo={experiment.pk}").text
    assert "Undo" not in again  # it is there
    assert [event.did for event in Event.objects.order_by("pk")][-2:] == ["deleted", "restored"]


@pytest.mark.parametrize("asked", ["x", "-1", "9" * 40, "", "4711"])
def test_an_odd_undo_is_ignored(client_in, gone, asked):
    answer = client_in.get(reverse("experiments:list"), {"undo": asked})
    assert answer.status_code == 200 and "Undo" not in answer.text


def test_the_deleted_are_listed_for_who_may_restore(client, gone):
    client.force_login(somebody(Role.OPERATOR))
    page = client.get(reverse("experiments:list") + "?deleted=on").text
    assert "Gone tomorrow" in page and "Restore" in page and "by admin" in page
    assert f"{gone.deleted_at or timezone.now() + KEPT_FOR:%Y-%m}" in page
    client.force_login(somebody(Role.VIEWER))
    assert client.get(reverse("experiments:list") + "?deleted=on").status_code == 403
    assert "Deleted" not in client.get(reverse("experiments:list")).text


@pytest.mark.parametrize("state", ["queued", "running"])
def test_a_waiting_or_running_experiment_is_not_deleted(client_in, experiment, state):
    Experiment.objects.filter(pk=experiment.pk).update(state=state)
    page = client_in.post(reverse("experiments:delete", args=[experiment.pk]), follow=True).text
    assert "was not deleted: it waits or runs. Stop it first." in page
    assert Experiment.objects.filter(pk=experiment.pk).exists()
    assert not Event.objects.filter(did="deleted").exists()


def test_an_experiment_is_deleted_and_restored_once(admin, gone):
    care.delete(somebody(Role.OPERATOR), gone)
    assert Experiment.deleted.get().deleted_by == admin and Event.objects.filter(did="deleted").count() == 1
    care.restore(admin, gone)
    care.restore(admin, gone)
    assert Event.objects.filter(did="restored").count() == 1


def test_a_deleted_one_is_not_queued_again(gone):
    with pytest.raises(PlanError, match="was deleted"):
        queue_unfinished(gone)
    assert Experiment.deleted.get().state == "done"


OWN = ("durascope_experiments", "durascope_trials")


def test_figures_leave_it_out(experiment, admin):
    def figures():
        return {name: dict(_plain(samples)) for name, _, samples in told() if name in OWN}

    assert sum(figures()["durascope_trials"].values()) > 0
    care.delete(admin, experiment)
    assert all(sum(values.values()) == 0 for values in figures().values())


def _plain(samples):
    return [(tuple(labels.items()), value) for labels, value in samples]


def test_claims_fall_back_to_the_one_before(admin):
    older, newer = (factory.experiment() for _ in range(2))
    Experiment.objects.update(recipe="group-commit", claims={"claims": [{"id": "G1"}]})
    assert newest(["group-commit"])["group-commit"].experiment == newer
    care.delete(admin, newer)
    found = newest(["group-commit"])["group-commit"]
    assert (found.experiment, found.finished) == (older, 1)


def test_history_forgets_it_at_once_and_remembers(admin):
    server = factory.server()
    made = [*nights.history(server, [1000.0] * 20), *nights.history(server, [700.0] * 9, start=20)]
    update.keep(nights.FIRST + 30 * nights.DAY, print, round_s=60)
    change = Change.objects.filter(figure="throughput").get()
    track = change.track
    assert len(rows([track])) == len(made) and shown(server, {}).changes
    care.delete(admin, change.first.experiment)
    assert len(rows([track])) == len(made) - 1 and not shown(server, {}).changes
    care.restore(admin, change.first.experiment)
    assert len(rows([track])) == len(made) and shown(server, {}).changes


def test_a_suspicion_waits_while_what_it_rests_on_is_deleted(admin):
    server = factory.server()
    nights.history(server, [1000.0] * 20)
    update.keep(nights.FIRST + 20 * nights.DAY, print, round_s=60)
    nights.history(server, [700.0] * 8, start=20)
    update.keep(nights.FIRST + 28 * nights.DAY, print, round_s=60)
    suspected = Change.objects.filter(figure="throughput", state="suspected").get()
    nights.history(server, [700.0], start=28)
    care.delete(admin, suspected.first.experiment)
    update.keep(nights.FIRST + 29 * nights.DAY, print, round_s=60)
    suspected.refresh_from_db()
    assert suspected.state == "suspected"
    care.restore(admin, Experiment.deleted.get())
    update.keep(nights.FIRST + 29 * nights.DAY, print, round_s=60)
    suspected.refresh_from_db()
    assert suspected.state == "confirmed"


def test_a_deleted_one_is_noted_when_it_is_back(admin):
    made = factory.experiment()
    care.delete(admin, made)
    assert made not in not_noted()
    care.restore(admin, made)
    assert made in not_noted()


def test_a_night_says_that_its_experiment_was_deleted(admin, experiment):
    schedule = Schedule.objects.create(
        name="nightly", plan=experiment.plan, cron="0 2 * * *", zone="UTC", runs_as=admin
    )
    night = Night.objects.create(schedule=schedule, due_at=timezone.now(), state="started", experiment=experiment)
    assert nights_of(Night.objects.all()).get().shown[1] == "finished"
    care.delete(admin, experiment)
    assert nights_of(Night.objects.all()).get().shown == ("cancelled", "deleted")
    _age(experiment)
    remove_one(timezone.now())
    night.refresh_from_db()
    assert night.experiment is None and night.shown == ("cancelled", "deleted")


def test_a_server_is_kept_by_what_can_be_restored(admin, experiment):
    server = factory.server()
    assert why_kept(server).endswith("the results of 1 experiment rest on it.")
    care.delete(admin, experiment)
    assert "of 1 deleted one that can still be restored rest on it" in why_kept(server)
    assert [line.experiment for line in lines(Server.objects.all())] == [None]
    _age(experiment)
    remove_one(timezone.now())
    assert why_kept(server) == ""


def test_an_idempotency_key_of_a_deleted_one_starts_nothing(admin, monkeypatch):
    monkeypatch.setattr(task_queue, "send", lambda *_: None)
    server = Server.objects.create(name="box", kind="sandbox", build="system-mariadb")
    asked = {"servers": [server.pk], "recipe": "group-commit", "set": {"threads": "1", "repeats": "1"}}

    def ask():
        key = {"Idempotency-Key": "once"}
        return script(admin).post("/api/v1/experiments", asked, "application/json", headers=key)

    assert ask().status_code == 201
    Experiment.objects.update(state="cancelled")
    care.delete(admin, Experiment.objects.get())
    refused = ask()
    assert refused.status_code == 409 and "was deleted since" in refused.json()["detail"]
    assert Experiment.everything.count() == 1


def _age(experiment, days=31):
    Experiment.everything.filter(pk=experiment.pk).update(deleted_at=timezone.now() - timedelta(days=days))


def test_after_a_month_it_is_gone_for_good(admin, gone):
    measured = factory.experiment()
    environments = Environment.objects.count()
    care.comment(admin, gone, "bye")
    care.tag(admin, gone, ["bye"])
    sharing.share(admin, gone)
    entries.note(measured)
    _age(gone, days=29)
    assert remove_one(timezone.now()) == "" and Experiment.deleted.exists()
    _age(gone)
    assert remove_one(timezone.now()) == "Gone tomorrow"
    assert not Experiment.deleted.exists() and list(Experiment.everything.all()) == [measured]
    assert not Trial.objects.exists() and set(Cell.objects.values_list("experiment", flat=True)) == {measured.pk}
    assert Entry.objects.exists() and Environment.objects.count() == environments
    event = Event.objects.get(did="removed")
    assert (event.name, event.detail["id"]) == ("", gone.pk)
    assert remove_one(timezone.now()) == ""


def test_a_pending_restore_keeps_the_experiment(gone):
    pending = PendingRestore.objects.create(
        server=factory.server(), experiment=gone, kind="variable", name="sync_binlog", old="1"
    )
    PendingRestore.objects.create(
        server=factory.server(), experiment=gone, kind="schema", name="x", old="", restored_at=timezone.now()
    )
    _age(gone)
    assert remove_one(timezone.now()) == ""
    pending.restored_at = timezone.now()
    pending.save()
    assert remove_one(timezone.now()) == "Gone tomorrow"
    assert not HostLease.objects.exists() and PendingRestore.objects.filter(experiment=None).count() == 2


def test_the_list_of_the_deleted_counts_as_the_other(gone):
    (row,) = queries.with_progress(queries.deleted())
    assert (row.total, row.crashes) == (gone.cells.count() + gone.trials.count(), gone.trials.count())
    assert row.removed_after == row.deleted_at + KEPT_FOR
    assert baseline_for(row) is None
