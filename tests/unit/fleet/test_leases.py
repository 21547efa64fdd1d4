from datetime import timedelta

import pytest
from django.utils import timezone

from dashboard.records.experiments import leases, lifecycle
from dashboard.records.experiments.models import Experiment
from dashboard.records.fleet.models import Worker
from dashboard.records.holds.models import HostLease, PendingRestore
from tests.unit.conducting import experiments as make
from workers.upkeep import housekeeping, restores

pytestmark = pytest.mark.django_db


def test_all_names_of_a_host_give_the_same_lease():
    spellings = [make.attached(name, host=name) for name in ("localhost", "LOCALHOST", "127.0.0.2")]
    spellings.append(make.attached("by socket", host="", socket="/run/db.sock"))
    assert len({frozenset(leases.hosts_of(server)) for server in spellings}) == 1
    assert leases.hosts_of(make.attached("far")) == {"192.0.2.7"}


def test_no_experiment_begins_while_its_host_is_being_put_back():
    server = make.attached()
    unrestored, new = make.experiment(server), make.experiment(server)
    unrestored.state = "failed"
    unrestored.save()
    with leases.to_restore(server, unrestored) as free:
        assert free
        assert lifecycle.begin(new.pk, make.worker(), leases.hosts_of(server)) is None
        new.refresh_from_db()
        assert "is being restored on the same host" in new.activity
        housekeeping.interrupt_those_of_dead_workers()
        assert HostLease.objects.exists(), "whoever pays is not taken for dead at once"
    assert lifecycle.begin(new.pk, make.worker(), leases.hosts_of(server)) is not None


def test_no_pending_restore_runs_during_an_experiment():
    server = make.attached()
    unrestored, running = make.experiment(server), make.experiment(server)
    lifecycle.begin(running.pk, make.worker(), leases.hosts_of(server))
    with leases.to_restore(server, unrestored) as free:
        assert not free
    assert HostLease.objects.get().experiment == running


def test_the_lease_of_a_payer_that_died_is_cleared():
    server = make.attached()
    unrestored = make.experiment(server)
    HostLease.objects.create(host="h", experiment=unrestored, taken_at=timezone.now() - timedelta(hours=1))
    housekeeping.interrupt_those_of_dead_workers()
    assert not HostLease.objects.exists()


def test_a_waiting_experiment_says_for_which_one():
    server, holder = make.attached(), make.worker()
    running, waiting = make.experiment(server), make.experiment(server)
    lifecycle.begin(running.pk, holder, ["h"])

    def says():
        assert lifecycle.begin(waiting.pk, make.worker(), ["h"]) is None
        waiting.refresh_from_db()
        return waiting.activity

    assert says() == "waiting: on db1 is running on the same host"
    Worker.objects.filter(pk=holder.pk).update(beat_at=timezone.now() - timedelta(minutes=1))
    ended = "waiting: on db1 holds the same host, and its worker here:1 ended. Its settings are restored first"
    assert says() == ended


@pytest.fixture
def unrestored():
    """What an experiment changed on a server before its worker ended."""
    server = make.attached("changed")
    ended = make.experiment(server)
    lifecycle.begin(ended.pk, make.worker(), leases.hosts_of(server))
    make.pending_restore(server, ended, "variable", "sync_binlog", "1")
    Worker.objects.update(beat_at=timezone.now() - timedelta(minutes=1))
    housekeeping.interrupt_those_of_dead_workers()
    return PendingRestore.objects.get()


def begins(server) -> tuple[bool, str]:
    new = make.experiment(server)
    begun = lifecycle.begin(new.pk, make.worker(), leases.hosts_of(server))
    new.refresh_from_db()
    return begun is not None, new.activity


def test_settings_are_restored_before_another_experiment_takes_the_host(unrestored, monkeypatch):
    """Otherwise they would stay changed for as long as it measures."""
    neighbour = make.attached("neighbour")
    assert begins(neighbour) == (False, "waiting: changes of an ended experiment on changed are restored first")
    monkeypatch.setattr(
        restores, "_put_back", lambda server, require_claim: server.pending_restores.update(restored_at=timezone.now())
    )
    restores.restore_all()
    assert begins(neighbour)[0]


def test_a_server_that_cannot_be_restored_keeps_nobody_waiting(unrestored):
    PendingRestore.objects.update(problem="It does not answer.")
    assert begins(make.attached("neighbour"))[0]


@pytest.mark.parametrize(("minutes", "begun"), [(4.9, False), (5, True)])
def test_nor_does_one_that_nobody_restores_for_minutes(unrestored, minutes, begun):
    Experiment.objects.update(ended_at=timezone.now() - timedelta(minutes=minutes))
    assert begins(make.attached("neighbour"))[0] == begun


def test_an_experiment_does_not_wait_for_its_own_server_nor_for_another_host(unrestored):
    """Its own it restores itself, before it measures."""
    assert begins(make.attached("far", host="192.0.2.8"))[0]
    assert begins(unrestored.server)[0]
