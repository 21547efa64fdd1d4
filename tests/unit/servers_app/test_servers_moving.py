"""A server keeps its address while a restore is pending: the restore would reach another server."""

import pytest

from dashboard.records.audit.models import Event
from dashboard.records.experiments.models import Experiment
from dashboard.records.holds.models import PendingRestore
from dashboard.records.servers.models import Server

MOVED = {"name": "db", "host": "other.example.org", "port": 3306, "user": "bench", "tls": "preferred", "label": "test"}


def edit(client, server, **said):
    return client.post(f"/servers/{server.pk}/edit/", MOVED | said, follow=True).text


def test_the_address_of_a_server_with_a_pending_restore_does_not_change(client_in, server):
    PendingRestore.objects.create(server=server, kind="variable", name="sync_binlog", old="1")
    assert "The host of" in (page := edit(client_in, server)) and "pending restore" in page
    assert Server.objects.get().host == "db.example.org"
    assert not Event.objects.filter(did="changed").exists()


@pytest.mark.parametrize("state", ["queued", "running"])
def test_a_server_in_an_experiment_keeps_its_address(client_in, server, state):
    experiment = Experiment.objects.create(name="cost", plan={}, seed=1, state=state)
    experiment.cells.create(server=server, position=0, block=0, variant="v", workload="w", threads=1, repeat=0)
    assert "the experiment cost uses it now" in edit(client_in, server)
    assert Server.objects.get().host == "db.example.org"


def test_the_password_can_change_while_a_restore_is_pending(client_in, server):
    PendingRestore.objects.create(server=server, kind="variable", name="sync_binlog", old="1")
    edit(client_in, server, host="db.example.org", password="the new one")
    assert Server.objects.get().target().password == "the new one"


def test_a_server_without_experiment_and_pending_restore_gets_another_address(client_in, server):
    edit(client_in, server, password="given again")
    assert Server.objects.get().host == "other.example.org"
