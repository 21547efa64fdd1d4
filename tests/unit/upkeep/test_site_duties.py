"""What only a worker of the same site or host may do."""

import socket
from datetime import timedelta

import pytest
from django.utils import timezone

from dashboard.records.experiments import actions, leases, lifecycle
from dashboard.records.experiments.models import Experiment
from dashboard.records.fleet import task_queue
from dashboard.records.holds.models import HostLease, PendingRestore
from dashboard.records.servers import actions as servers
from dashboard.records.servers.models import Preflight
from tests.unit.conducting import experiments as make
from workers.celery import app
from workers.upkeep import housekeeping, restores

pytestmark = pytest.mark.django_db
LONG_AGO = timezone.now() - timedelta(minutes=1)


@pytest.fixture
def restored(monkeypatch):
    to = []
    monkeypatch.setattr(restores, "restore", lambda server, require_claim: to.append(server.name))
    return to


def leave_changed(server, **fields):
    experiment = make.experiment(server)
    Experiment.objects.filter(pk=experiment.pk).update(state="failed", **fields)
    PendingRestore.objects.create(server=server, experiment=experiment, kind="variable", name="sync_binlog", old="1")


def test_a_site_makes_its_own_restores(restored, settings):
    leave_changed(make.attached("near"))
    leave_changed(make.attached("far", host="192.0.2.8", site="west"))
    restores.restore_all()
    assert restored == ["near"]
    settings.SITE = "west"
    restores.restore_all()
    assert restored == ["near", "far"]


def test_a_restore_on_localhost_is_made_by_the_host_of_the_worker_that_changed_it(restored):
    there = make.worker()  # on a host called "here"
    leave_changed(make.attached("loop", host="127.0.0.1"), worker=there)
    leave_changed(make.attached("sock", host="", socket="/run/db.sock"), worker=there)
    restores.restore_all()
    assert restored == []
    type(there).objects.update(host=socket.gethostname())
    restores.restore_all()
    assert sorted(restored) == ["loop", "sock"]


def test_a_site_rings_for_what_waits_there(settings):
    near, far = make.experiment(make.attached("near")), make.experiment(make.attached("far", site="west"))
    Experiment.objects.update(created_at=LONG_AGO)
    asked = Preflight.objects.create(server=far.cells.first().server, asked_at=LONG_AGO)
    notified = []
    housekeeping._send_experiments(notified.append)
    housekeeping._send_preflights(notified.append)
    assert notified == [near.pk]
    settings.SITE = "west"
    notified.clear()
    housekeeping._send_experiments(notified.append)
    housekeeping._send_preflights(notified.append)
    assert notified == [far.pk, asked.pk]


@pytest.fixture
def queues(monkeypatch):
    """The queue of each task that is sent."""
    names = []
    monkeypatch.setattr(app, "send_task", lambda *_, queue, **__: names.append(queue))
    return names


def test_a_task_is_sent_to_the_site_of_its_row(queues):
    actions.notify_workers(make.experiment(make.attached("near")).pk)
    far = make.attached("far", site="west")
    actions.notify_workers(make.experiment(far).pk)
    servers.ask_preflight(None, far)
    task_queue.send(task_queue.JOIN, 1, "west", "b")
    task_queue.send(task_queue.DELIVERY, 1)
    assert queues == ["site.local", "site.west", "site.west", "site.west@b", "celery"]
    keys = [(queue.name, queue.exchange.name, queue.routing_key) for queue in app.conf.task_queues]
    assert all(name == exchange == key for name, exchange, key in keys), "else each hears what is meant for another"


def test_a_row_that_is_gone_has_no_site(queues):
    actions.notify_workers(0)
    assert queues == ["celery"]


def test_a_preflight_is_claimed_at_its_site_only():
    asked = Preflight.objects.create(server=make.attached("far", site="west"))
    assert servers.begin_preflight(asked.pk, "w", "local") is None
    assert servers.begin_preflight(asked.pk, "w", "west").name == "far"
    assert servers.begin_preflight(asked.pk, "w", "west") is None


def test_private_addresses_of_two_sites_are_two_hosts():
    near, far = make.attached("near"), make.attached("far", site="west")
    assert leases.hosts_of(near) == {"192.0.2.7"} and leases.hosts_of(far) == {"west: 192.0.2.7"}


def test_a_server_beside_a_sandbox_is_on_the_same_host(monkeypatch):
    """The host is known to others of the site by its address."""
    monkeypatch.setattr(leases.hosts, "own", lambda: {"192.0.2.7"})
    box = make.Server.objects.create(name="box", kind="sandbox", build="system-mariadb")
    lifecycle.begin(make.experiment(box).pk, make.worker(), leases.hosts_of(box))
    assert HostLease.objects.count() == 2
    assert leases.lease_on(leases.hosts_of(make.attached("db")))
