"""/metrics: for a token with the scope monitor, in Prometheus' text format; Grafana draws what is there."""

import json
import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from dashboard.history import update
from dashboard.installation.home import PROJECT
from dashboard.pages.monitoring import server_figures, views
from dashboard.pages.monitoring.figures import FIGURES, Metric
from dashboard.records.accounts.role import Role
from dashboard.records.experiments.models import Experiment
from dashboard.records.fleet.models import Worker
from dashboard.records.holds.models import HostLease, PendingRestore
from dashboard.records.notifications.models import Delivery
from dashboard.records.servers.models import Server
from tests.unit.api.tokens import client_of, script, somebody
from tests.unit.results import factory, trials

pytestmark = pytest.mark.django_db
NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\\\|\\"|\\n)*"'
LINE = re.compile(rf"({NAME})(?:\{{({LABEL}(?:,{LABEL})*)\}})? (-?[0-9.e+-]+|NaN|[+-]Inf)")


@pytest.fixture
def prometheus(db):
    return script(somebody(Role.VIEWER), "monitor")


def told(client):
    """{name{labels}: value} of everything that is told; each line is held to the format."""
    answer = client.get("/metrics")
    assert answer.status_code == 200 and answer["Content-Type"].startswith("text/plain; version=0.0.4")
    found, typed = {}, set()
    for line in answer.content.decode().splitlines():
        if line.startswith("# TYPE "):
            typed.add(line.split()[2])
        elif not line.startswith("# HELP "):
            name, labels, value = LINE.fullmatch(line).groups()
            assert name in typed
            found[f"{name}{{{labels}}}" if labels else name] = float(value)
    return found


def test_an_empty_installation_tells_zeros(prometheus):
    found = told(prometheus)
    assert found["durascope_workers_alive"] == 0
    assert found['durascope_experiments{state="running"}'] == 0
    assert found['durascope_trials{verdict="invalid"}'] == 0


def test_workers_experiments_and_trials_are_counted(prometheus):
    Worker.objects.create(host="h", pid=1)
    Worker.objects.create(host="h", pid=2, ended_at=timezone.now())
    trials.experiment({"2/0": {"power-loss": [(0, 0), (5, 0), None]}})
    ago = timezone.now() - timedelta(hours=1)
    running = factory.experiment(state="running", measured=3)
    Experiment.objects.filter(pk=running.pk).update(started_at=ago)
    queued = factory.experiment(state="queued", measured=0)
    Experiment.objects.filter(pk=queued.pk).update(created_at=ago)
    HostLease.objects.create(host="h", experiment=running)
    PendingRestore.objects.create(server=factory.server(), kind="schema", name="s")
    found = told(prometheus)
    assert found["durascope_workers_alive"] == 1
    assert found['durascope_experiments{state="done"}'] == found['durascope_experiments{state="queued"}'] == 1
    assert [found[f'durascope_trials{{verdict="{one}"}}'] for one in ("valid", "invalid", "unknown")] == [1, 1, 1]
    assert found[f'durascope_experiment_running_seconds{{experiment="{running.pk}"}}'] >= 3600
    assert found["durascope_queue_oldest_seconds"] >= 3600
    assert found['durascope_waiting{what="cell"}'] == running.cells.count() - 3 + queued.cells.count()
    assert found["durascope_hosts_leased"] == found["durascope_pending_restores"] == 1


def test_servers_are_told_by_variant_from_their_newest_experiment(prometheus):
    server = factory.server(name="db1")
    for name, tps in (("old", 500.0), ("new", 800.0)):
        one = factory.experiment({"1/1": tps, "2/0": 3 * tps}, servers=[server], threads=(1,), name=name, noise=0)
        trials.add(one, {"2/0": {"power-loss": [(0, 0), (50, 20)], "process-kill": [(0, 0)]}})
    update.keep(timezone.now(), print, round_s=60)
    found = told(prometheus)
    assert found['durascope_commits_per_second{server="db1",variant="2/0"}'] == pytest.approx(2400)
    assert found['durascope_lost_commits{server="db1",variant="2/0"}'] == 25
    assert found['durascope_commit_p99_milliseconds{server="db1",variant="1/1"}'] == pytest.approx(3, abs=0.1)
    assert 'durascope_lost_commits{server="db1",variant="1/1"}' not in found, "never crashed is not nothing lost"
    assert found["durascope_history_waiting"] == found["durascope_pairs_left_out"] == 0


def test_the_number_of_series_is_bounded(prometheus, monkeypatch):
    monkeypatch.setattr(server_figures, "MOST_PAIRS", 2)
    factory.experiment({"1/1": 1.0, "2/0": 2.0, "0/0": 3.0}, threads=(1,))
    update.keep(timezone.now(), print, round_s=60)
    found = told(prometheus)
    assert sum(name.startswith("durascope_commits_per_second") for name in found) == 2
    assert found["durascope_pairs_left_out"] == 1


def test_metrics_count_what_a_person_must_fix(prometheus):
    server = factory.server()
    PendingRestore.objects.create(server=server, kind="schema", name="s", problem="Access denied.")
    Server.objects.filter(pk=server.pk).update(site="far")
    Delivery.objects.create(to="team", event="test", title="t", text="t", path="/", state="failed")
    found = told(prometheus)
    assert found["durascope_pending_restores_failed"] == found["durascope_sites_without_worker"] == 1
    assert found['durascope_deliveries{state="failed"}'] == 1 and found['durascope_nights{state="missed"}'] == 0


def test_labels_cannot_break_out_of_their_line():
    figure = Metric("two\nlines", lambda _: ())
    assert (
        views.text([("n", figure, [({"a": 'x"} 1\ny\\'}, 2)])])
        == '# HELP n two\\nlines\n# TYPE n gauge\nn{a="x\\"} 1\\ny\\\\"} 2\n'
    )


def test_metrics_need_a_token_with_the_scope_monitor(client_in, admin):
    assert Client().get("/metrics").status_code == 401
    assert client_in.get("/metrics").status_code == 401
    assert client_of("durascope_wrong").get("/metrics").status_code == 401
    assert script(admin, "see", "run").get("/metrics").status_code == 403


def test_every_figure_that_the_dashboard_draws_is_told():
    drawn = set(re.findall(r"durascope_\w+", (PROJECT / "docs/grafana.json").read_text()))
    assert drawn and drawn <= FIGURES.keys()


def test_the_dashboard_can_be_read():
    dashboard = json.loads((PROJECT / "docs/grafana.json").read_text())
    ids = [panel["id"] for panel in dashboard["panels"]]
    assert dashboard["title"] == "Durascope" and len(ids) == len(set(ids)) > 4
    assert all(target["expr"] for panel in dashboard["panels"] for target in panel["targets"])
