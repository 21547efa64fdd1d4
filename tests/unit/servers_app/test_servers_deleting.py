"""A server is kept while something rests on it."""

import pytest
from django.utils import timezone

from dashboard.records.experiments.models import Experiment
from dashboard.records.holds.models import PendingRestore
from dashboard.records.servers.models import Server


def refused(client, server):
    answer = client.post(f"/servers/{server.pk}/delete/", follow=True)
    assert Server.objects.filter(pk=server.pk).exists()
    return answer.content.decode()


def plan(server, state):
    experiment = Experiment.objects.create(name="cost", plan={}, seed=1, state=state)
    experiment.cells.create(server=server, position=0, block=0, variant="v", workload="w", threads=1, repeat=0)
    return experiment


def test_a_server_with_a_pending_restore_is_not_deleted(client_in, server):
    pending = PendingRestore.objects.create(server=server, kind="variable", name="sync_binlog", old="1")
    assert "1 pending restore" in refused(client_in, server)
    PendingRestore.objects.update(restored_at=timezone.now())
    client_in.post(f"/servers/{server.pk}/delete/")
    assert not Server.objects.exists() and not PendingRestore.objects.filter(pk=pending.pk).exists()


@pytest.mark.parametrize("state", ["queued", "running"])
def test_a_server_is_kept_while_an_experiment_uses_it(client_in, server, state):
    plan(server, state)
    assert "the experiment cost uses it now" in refused(client_in, server)


def test_a_server_is_kept_while_results_rest_on_it(client_in, server):
    experiment = plan(server, "done")
    assert "results of 1 experiment rest on it" in refused(client_in, server)
    experiment.delete()
    client_in.post(f"/servers/{server.pk}/delete/")
    assert not Server.objects.exists()


def test_a_server_is_kept_when_an_experiment_comes_at_the_last_moment(client_in, server, monkeypatch):
    from dashboard.records.servers import queries

    plan(server, "done")
    monkeypatch.setattr(queries, "why_kept", lambda server: "")
    PendingRestore.objects.create(server=server, kind="variable", name="x", old="1", restored_at=timezone.now())
    assert "is in use" in refused(client_in, server)
    assert PendingRestore.objects.exists()
