"""Pending restores of ended experiments, without a server: which worker makes them, and when, also after a failure."""

import pytest

from dashboard.records.experiments import leases, lifecycle
from dashboard.records.holds.models import PendingRestore
from tests.unit.conducting import experiments as make
from workers.errors import ServerError, Unreachable
from workers.upkeep import restores

pytestmark = pytest.mark.django_db


@pytest.fixture
def undone(monkeypatch):
    """What was put back, by server: (variables, schemas)."""
    calls = {}

    def undo(target, changed, schemas, restored, require_claim):
        calls[target.name] = (list(changed), list(schemas))
        if target.name == "gone":
            raise Unreachable("Nothing listens there.")
        if target.name == "odd":
            raise ValueError("what nobody thought of")
        for name, _ in changed:
            restored("variable", name)

    monkeypatch.setattr(restores, "undo", undo)
    return calls


def leave_changed(server, *names, state="failed"):
    experiment = make.experiment(server)
    experiment.state = state
    experiment.save()
    for name in names:
        make.pending_restore(server, experiment, "variable", name, "1")
    return experiment


def test_pending_restores_are_made_in_their_order_of_storing(undone):
    server = make.attached()
    leave_changed(server, "b", "a", "c")
    restores.restore_all()
    assert undone == {"db1": ([("b", "1"), ("a", "1"), ("c", "1")], [])}
    assert not PendingRestore.objects.filter(restored_at=None).exists()


@pytest.mark.parametrize("name", ["gone", "odd"])
def test_a_server_that_cannot_be_paid_does_not_keep_others_waiting(undone, name):
    for server in (make.attached(name, host="192.0.2.1"), make.attached("zz", host="192.0.2.2")):
        leave_changed(server, "sync_binlog")
    restores.restore_all()
    assert list(undone) == [name, "zz"]
    assert PendingRestore.objects.get(restored_at=None).server.name == name


def test_a_server_that_is_measured_is_not_restored(undone):
    server = make.attached()
    leave_changed(server, "sync_binlog")
    lifecycle.begin(make.experiment(server).pk, make.worker(), leases.hosts_of(server))
    restores.restore_all()
    assert undone == {}


def test_pending_restores_of_a_running_experiment_are_left_alone(undone):
    server = make.attached()
    running = lifecycle.begin(make.experiment(server).pk, make.worker(), leases.hosts_of(server))
    restores.note(server, running, "variable", "sync_binlog", "1")
    restores.restore_all()
    assert undone == {}


def test_a_failed_restore_says_that_old_settings_are_left(undone):
    server = make.attached("gone")
    leave_changed(server, "sync_binlog")
    with pytest.raises(ServerError, match="gone still has settings of an earlier experiment"):
        restores.restore(server, lambda: None)


def test_a_failure_that_nobody_thought_of_is_logged(undone, caplog):
    leave_changed(make.attached("odd"), "sync_binlog")
    restores.restore_all()
    assert "what nobody thought of" in caplog.text


def test_a_server_without_a_pending_restore_is_asked_nothing(undone):
    restores.restore(make.attached(), lambda: None)
    assert undone == {}
