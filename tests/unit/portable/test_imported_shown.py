"""An imported experiment is shown as one, does nothing, and counts nowhere as measured here."""

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.urls import reverse

from dashboard.findings.crash.badges import badges, tried_like
from dashboard.findings.document import everything
from dashboard.history import update
from dashboard.pages.api.service import ROUTERS
from dashboard.pages.experiments.forms import PlanForm
from dashboard.pages.monitoring.figures import told
from dashboard.pages.reproduction.statements import newest
from dashboard.pages.schedules.forms import RecipeForm
from dashboard.pages.servers.forms import AttachedForm, SandboxForm
from dashboard.portable.write import file_of
from dashboard.records.accounts.role import Role
from dashboard.records.audit.models import Event
from dashboard.records.experiments import actions as experiments
from dashboard.records.experiments import queries
from dashboard.records.experiments.models import Experiment, Trial
from dashboard.records.fleet import task_queue
from dashboard.records.history.models import Entry
from dashboard.records.history.queries import not_noted
from dashboard.records.servers.models import Preflight, Server
from dashboard.records.sharing import actions as sharing
from tests.unit.api.tokens import script, somebody
from tests.unit.portable import files
from tests.unit.results import factory
from workers.bench.plan import Plan
from workers.errors import PlanError

pytestmark = pytest.mark.django_db
BADGE = 'class="badge imported"'


@pytest.fixture
def imported(db, file):
    """On an installation that never measured anything."""
    return files.imported(file)


@pytest.fixture
def ghost(imported):
    return Server.everything.get(pk=imported.plan["targets"][0]["server_id"])


def test_pages_say_that_it_was_imported(client_in, imported):
    cells = imported.cells.filter(state="done")
    paths = [
        reverse("results:page", args=[imported.pk]),
        reverse("results:trials", args=[imported.pk]),
        reverse("results:cell", args=[cells[0].pk]),
        reverse("results:trial", args=[imported.trials.first().pk]),
        f"{reverse('results:compare')}?runs={cells[0].run.pk}&from={imported.pk}",
        reverse("experiments:list"),
        "/",
    ]
    assert [path for path in paths if BADGE not in client_in.get(path).content.decode()] == []
    imported.cells.all().delete()
    imported.trials.all().delete()
    assert BADGE in client_in.get(reverse("experiments:show", args=[imported.pk])).content.decode()


def test_the_result_page_names_its_origin(client_in, imported):
    Experiment.objects.filter(pk=imported.pk).update(
        imported_from={**imported.imported_from, "address": "https://there.example.org/<b>"}
    )
    html = " ".join(client_in.get(reverse("results:page", args=[imported.pk])).content.decode().split())
    assert "from https://there.example.org/&lt;b&gt;, where it was experiment" in html
    for word in ("Resume", "Schedule this", ">History<"):
        assert word not in html
    assert "Export as a file" in html and ">Compare<" in html and ">Share<" in html


def test_an_experiment_that_was_measured_here_is_not_marked_as_imported(client_in):
    made = factory.experiment({"1/1": 1000.0}, measured=1)
    html = client_in.get(reverse("results:page", args=[made.pk])).content.decode()
    assert "imported" not in html and "Resume" in html and ">History<" in html


def test_a_shared_page_says_that_it_was_imported_but_not_its_origin(client, imported, settings):
    Experiment.objects.filter(pk=imported.pk).update(imported_from={**imported.imported_from, "address": "https://x.y"})
    _, token = sharing.share(None, imported)
    html = client.get(reverse("sharing:show", args=[token])).content.decode()
    assert BADGE in html and "x.y" not in html


def test_the_json_says_that_it_was_imported(imported):
    told = everything(imported)["experiment"]
    assert told["imported_at"] and told["imported_from"] == imported.imported_from


def test_the_api_says_that_it_was_imported(imported):
    told = script(somebody(Role.VIEWER)).get(f"/api/v1/experiments/{imported.pk}").json()
    assert told["imported_at"] and told["imported_from"]["sha256"]


def test_texts_of_a_file_are_escaped(client_in, imported):
    file = file_of(imported)
    evil = "<script>alert(1)</script>"

    def change(index):
        index["experiment"] |= {"name": evil, "error": evil, "fix": evil}
        index["plan"]["name"] = index["plan"]["targets"][0]["name"] = evil
        index["cells"][0] |= {"error": evil}
        index["export"] |= {"address": evil, "version": evil}

    found = files.imported(files.tampered(file, change))
    cells, tried = found.cells.filter(state="done"), found.trials.all()
    paths = [reverse("results:page", args=[found.pk]), reverse("results:trials", args=[found.pk]),
             reverse("results:cell", args=[cells[0].pk]), reverse("results:trial", args=[tried[0].pk]), "/",
             "/servers/", reverse("experiments:list"), f"{reverse('results:compare')}?from={found.pk}"]  # fmt: skip
    shown = 0
    for path in paths:
        html = client_in.get(path).content.decode()
        assert evil not in html, path
        shown += "&lt;script&gt;alert(1)" in html
    assert shown >= 5


def test_an_imported_experiment_can_be_compared(client_in, imported):
    runs = ",".join(str(cell.run.pk) for cell in imported.cells.filter(state="done")[:2])
    answer = client_in.get(reverse("results:compare"), {"from": imported.pk, "runs": runs})
    assert answer.status_code == 200 and "Server A" in answer.content.decode()


def test_an_imported_experiment_cannot_be_resumed(client_in, imported, monkeypatch):
    monkeypatch.setattr(task_queue, "send", lambda *_: pytest.fail("rang"))
    with pytest.raises(PlanError, match="was imported"):
        experiments.resume(imported, None)
    client_in.post(reverse("experiments:resume", args=[imported.pk]))
    assert script(somebody(Role.OPERATOR)).post(f"/api/v1/experiments/{imported.pk}/resume").status_code == 409
    imported.refresh_from_db()
    assert imported.state == "done" and not imported.cells.filter(state="waiting").exists()


def test_an_imported_trial_cannot_be_repeated(client_in, imported):
    trial = imported.trials.first()
    path = reverse("results:trial", args=[trial.pk])
    assert reverse("results:trial-repeat", args=[trial.pk]) not in client_in.get(path).content.decode()
    before = Trial.objects.count()
    answer = client_in.post(reverse("results:trial-repeat", args=[trial.pk]), follow=True)
    assert "was imported" in answer.content.decode()
    assert Trial.objects.count() == before


def test_the_database_refuses_to_run_an_imported_experiment(imported):
    for state in ("queued", "running"):
        with pytest.raises(IntegrityError), transaction.atomic():
            Experiment.objects.filter(pk=imported.pk).update(state=state)


def test_an_imported_experiment_becomes_no_schedule(client_in, imported):
    answer = client_in.get(reverse("schedules:of", args=[imported.pk]), follow=True)
    assert "its servers are not registered here" in answer.content.decode()


def test_the_plan_of_an_imported_experiment_cannot_be_started(imported):
    """Whoever sends the plan itself, as any program could."""
    with pytest.raises(Server.DoesNotExist):
        experiments.create(Plan.from_dict(imported.plan), None)
    ids = [target["server_id"] for target in imported.plan["targets"]]
    start = {"servers": ids, "recipe": "group-commit"}
    answer = script(somebody(Role.OPERATOR)).post("/api/v1/experiments", start, "application/json")
    assert answer.status_code == 422 and "There is no server" in answer.content.decode()


def test_no_form_offers_imported_servers(ghost):
    assert ghost not in PlanForm().fields["servers"].queryset
    assert ghost not in RecipeForm().fields["servers"].queryset
    with pytest.raises(ValidationError):
        PlanForm().fields["servers"].clean([ghost.pk])


def test_no_page_and_no_answer_lists_imported_servers(client_in, ghost):
    for path in ("/", "/servers/", reverse("experiments:new"), reverse("schedules:new")):
        assert ghost.name not in client_in.get(path).content.decode(), path
    for name in ("servers:detail", "servers:edit", "servers:expendable", "history:server"):
        assert client_in.get(reverse(name, args=[ghost.pk])).status_code == 404, name
    api = script(somebody(Role.ADMINISTRATOR))
    assert ghost.name not in api.get("/api/v1/servers").content.decode()
    assert api.get(f"/api/v1/servers/{ghost.pk}").status_code == 404
    assert api.delete(f"/api/v1/servers/{ghost.pk}").status_code == 404
    assert "Servers" in ROUTERS


def test_an_imported_server_cannot_be_marked_for_crashes(ghost):
    assert not ghost.may_be_crashed and ghost.owner is None
    with pytest.raises(IntegrityError), transaction.atomic():
        Server.everything.filter(pk=ghost.pk).update(expendable=True)
    with pytest.raises(IntegrityError), transaction.atomic():
        Server.everything.filter(pk=ghost.pk).update(host="db7.example.com")


def test_names_of_imported_servers_are_taken(ghost):
    for form in (AttachedForm({"name": ghost.name, "host": "db1", "user": "u", "port": 3306}),
                 SandboxForm({"name": ghost.name, "build": "system-mariadb"})):  # fmt: skip
        assert "Another server has this name" in form.errors["name"][0]


def test_an_imported_experiment_is_in_no_history(client_in, imported):
    assert imported not in not_noted()
    update.keep(imported.imported_at, print, round_s=60)
    assert not Entry.objects.exists()
    answer = client_in.get(reverse("history:of", args=[imported.pk]), follow=True)
    assert "has no history here" in answer.content.decode()


def test_an_imported_experiment_answers_no_claim(imported):
    Experiment.objects.filter(pk=imported.pk).update(recipe="group-commit", claims={"claims": [{}], "changed": []})
    assert newest(["group-commit"]) == {}
    Experiment.objects.filter(pk=imported.pk).update(imported_at=None, imported_digest=None)
    assert list(newest(["group-commit"])) == ["group-commit"]  # the control


def test_metrics_count_no_imported_experiment(imported):
    def counted():
        figures = {name: samples for name, _, samples in told()}
        return sum(value for name in ("experiments", "trials") for _, value in figures[f"durascope_{name}"])

    assert counted() == 0
    Experiment.objects.filter(pk=imported.pk).update(imported_at=None, imported_digest=None)
    assert counted() == 1 + imported.trials.count()  # the control


def test_an_imported_experiment_says_nothing_about_servers_here(imported):
    """A server with the very settings that were crashed elsewhere."""
    environment = imported.trials.first().environment.data["server"]
    server = factory.server()
    settings = {"innodb_flush_log_at_trx_commit": "1", "sync_binlog": "1"}
    facts = {"flavour": environment["flavour"], "version_text": environment["version"], "settings": settings}
    Preflight.objects.create(server=server, state="done", facts=facts, done_at=imported.imported_at)
    for environment in {trial.environment for trial in imported.trials.all()}:
        environment.data["server"]["variables"] |= settings
        environment.save()
    Experiment.objects.filter(pk=imported.pk).update(finding_words=0)  # as if its settings were not noted yet
    assert badges(tried_like(server)) == []
    Experiment.objects.filter(pk=imported.pk).update(imported_at=None, imported_digest=None)
    assert badges(tried_like(server)) != []  # the control


def test_the_audit_log_names_the_user_who_imported(admin, imported):
    file = files.tampered(file_of(imported), lambda index: index["experiment"].update(name="another"))
    made = files.imported(file, admin)
    event = Event.objects.filter(did="imported").first()
    assert (event.who, event.what, event.detail["sha256"]) == (admin, "another", made.imported_from["sha256"])
    assert made.created_by == admin


def test_lists_show_imported_experiments(imported):
    assert imported in queries.listed()
