"""Which worker runs an experiment, with the messages to workers in a list."""

import socket

import pytest

from dashboard.records.experiments import actions
from dashboard.records.fleet import task_queue
from dashboard.records.fleet.models import Worker
from dashboard.records.holds.models import HostLease
from dashboard.records.servers.models import Server
from tests.unit.conducting import experiments as make
from workers.bench import recipes
from workers.bench.plan import Plan
from workers.conducting import assignment

pytestmark = pytest.mark.django_db
HERE = socket.gethostname()
ABLE = {"builds": {"old": {}}, "crash_missing": {}, "disk_missing": ""}
UNABLE = {"builds": {}}


@pytest.fixture
def notified(monkeypatch):
    heard = []
    monkeypatch.setattr(task_queue, "send", lambda task, row, site, host: heard.append((row, site, host)))
    return heard


def worker(host=HERE, abilities=ABLE, site="west", **fields):
    return Worker.objects.create(host=host, pid=1, abilities=abilities, site=site, **fields)


@pytest.fixture
def box(db):
    return Server.objects.create(name="box", kind="sandbox", build="old", site="west")


@pytest.fixture
def queued(box):
    plan = recipes.load("what-does-safety-cost").plan(actions.targets([box]), {"trials": "0"})
    return make.planned(plan)


def asked(experiment, by):
    plan = Plan.from_dict(experiment.plan)
    servers = Server.objects.in_bulk([target.server_id for target in plan.targets])
    return assignment.is_ours(experiment.pk, plan, servers, by)


def passed_on(experiment, by):
    plan = Plan.from_dict(experiment.plan)
    assignment.pass_on(experiment.pk, plan, Server.objects.in_bulk([t.server_id for t in plan.targets]), by)


def test_a_worker_of_the_site_that_can_takes_it(queued, notified):
    assert asked(queued, worker()) and not notified


def test_one_of_another_site_rings_there_and_leaves_it(queued, notified):
    assert not asked(queued, worker(site="local"))
    assert notified == [(queued.pk, "west", "")]


def test_who_cannot_passes_it_to_who_can(queued, notified):
    mine = worker(abilities=UNABLE)
    worker("b", UNABLE)
    worker("c")
    assert not asked(queued, mine)
    assert notified == [(queued.pk, "west", "c")]
    queued.refresh_from_db()
    assert queued.activity == "waiting for the worker on c, which can do this" and queued.state == "queued"


def test_neither_the_dead_nor_a_command_line_is_asked(queued, notified):
    mine = worker(abilities=UNABLE)
    worker("b", listens=False)
    worker("c").__class__.objects.filter(host="c").update(ended_at=mine.started_at)
    assert asked(queued, mine) and not notified, "alone, it tries, and says what is missing"


def test_what_none_can_do_is_refused_with_who_lacks_what(queued, notified):
    mine = worker(abilities=UNABLE)
    worker("b", UNABLE)
    assert not asked(queued, mine) and not notified
    queued.refresh_from_db()
    assert queued.state == "failed"
    assert f"{HERE}: it has no old" in queued.error and "b: it has no old" in queued.error


def test_a_command_line_runs_what_it_was_told_to(queued, notified):
    worker("b")
    assert asked(queued, worker(abilities=UNABLE, listens=False)) and not notified


def test_a_busy_host_passes_a_sandbox_to_a_free_one(queued, notified):
    mine = worker()
    worker("b")
    worker("c")
    HostLease.objects.create(host="worker b", experiment=queued)
    passed_on(queued, mine)
    assert notified == [(queued.pk, "west", "c")]


def test_a_busy_host_keeps_what_all_reach_and_what_is_over(queued, notified, box):
    mine = worker()
    worker("b")
    queued.__class__.objects.update(state="running")
    passed_on(queued, mine)
    queued.__class__.objects.update(state="queued")
    Server.objects.filter(pk=box.pk).update(kind="attached", host="192.0.2.7", build="")
    passed_on(queued, mine)
    assert not notified


def test_servers_that_were_moved_apart_are_refused(queued, box, notified):
    far = Server.objects.create(name="far", kind="sandbox", build="old", site="east")
    targets = [*queued.plan["targets"], {"server_id": far.pk, "name": "far", "is_sandbox": True}]
    queued.plan = queued.plan | {"targets": targets}
    queued.save()
    assert not asked(queued, worker()) and not notified
    queued.refresh_from_db()
    assert queued.state == "failed" and "far is on site east" in queued.error
