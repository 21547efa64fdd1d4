"""A worker's thread that hangs cannot be ended: it is told, on the page of the workers and in the heartbeat's row."""

import pytest
from celery.signals import task_postrun, task_prerun
from django.utils import timezone

from dashboard.records.experiments.models import Experiment, Part
from dashboard.records.fleet import task_queue
from dashboard.records.fleet.models import Worker
from tests.unit.conducting import experiments as make
from workers.bench.abilities import Abilities
from workers.upkeep.heartbeat import Heartbeat, HeartbeatPorts
from workers.upkeep.stuck_threads import Pool

pytestmark = pytest.mark.django_db


@pytest.fixture
def now():
    """Seconds, to set."""
    return [1000.0]


@pytest.fixture
def pool(now):
    return Pool(clock=lambda: now[0])


def told(pool):
    return [(one.what, one.row) for one in pool.stuck()]


def test_a_connection_test_hangs_after_two_minutes(pool, now):
    pool.begin("a", task_queue.PREFLIGHT, 5)
    now[0] += 119
    assert not pool.stuck()
    now[0] += 1
    assert told(pool) == [("a connection test", 5)] and pool.stuck()[0].since.endswith("+00:00")
    pool.end("a")
    assert not pool.stuck()


def test_every_other_task_has_ten_minutes(pool, now):
    for n, task in enumerate((task_queue.DELIVERY, task_queue.SCHEDULE, "workers.tasks.keep_history")):
        pool.begin(str(n), task, n)
    now[0] += 599
    assert not pool.stuck()
    now[0] += 1
    assert told(pool) == [("a message", 0), ("a schedule", 1), ("workers.tasks.keep_history", 2)]


@pytest.fixture
def running():
    one = make.experiment(make.attached())
    Experiment.objects.filter(pk=one.pk).update(state="running")
    return one


def test_an_experiment_may_run_for_days(pool, now, running):
    pool.begin("a", task_queue.EXPERIMENT, running.pk)
    now[0] += 3 * 24 * 3600
    assert not pool.stuck()


@pytest.mark.parametrize("change", [{"state": "done"}, {"cancel_asked": True}, {"state": "interrupted"}])
def test_the_thread_of_an_experiment_hangs_ten_minutes_after_its_end(pool, now, running, change):
    pool.begin("a", task_queue.EXPERIMENT, running.pk)
    assert not pool.stuck()
    now[0] += 3600
    Experiment.objects.filter(pk=running.pk).update(**change)
    assert not pool.stuck(), "it has just ended"
    now[0] += 599
    assert not pool.stuck()
    now[0] += 1
    assert told(pool) == [("an experiment that is over or cancelled", running.pk)]
    Experiment.objects.filter(pk=running.pk).update(state="running", cancel_asked=False)
    assert not pool.stuck(), "it goes on"


def test_a_thread_that_never_began_its_task_hangs_too(pool, now):
    pool.begin("a", task_queue.EXPERIMENT, make.experiment(make.attached()).pk)
    assert not pool.stuck()
    now[0] += 600
    assert len(pool.stuck()) == 1


def test_a_share_of_a_load_hangs_after_the_loads_end(pool, now, running):
    cell, at = running.cells.first(), timezone.now()
    part = Part.objects.create(cell=cell, attempt=at, number=1, threads=1, request={}, sysbench="", state="running")
    key = part.pk
    pool.begin("a", task_queue.JOIN, key)
    now[0] += 3600
    assert not pool.stuck()
    part.delete()
    assert not pool.stuck()
    now[0] += 600
    assert told(pool) == [("a share of a load that is over", key)]


def test_celery_tells_it_of_every_task(pool):
    pool.listen()
    task = type("Task", (), {"name": task_queue.PREFLIGHT})
    task_prerun.send(sender=task, task_id="1", task=task, args=(7,), kwargs={})
    assert [(job.task, job.row_id) for job in pool._jobs.values()] == [(task_queue.PREFLIGHT, 7)]
    task_postrun.send(sender=task, task_id="1", task=task, args=(7,), kwargs={})
    assert not pool._jobs


def test_the_heartbeat_and_the_page_tell_it(client_in, pool, now):
    beating = Heartbeat(HeartbeatPorts(installed=list, describe=Abilities, stuck=pool.stuck), beat_s=3600)
    beating.start()
    pool.begin("a", task_queue.PREFLIGHT, 5)
    beating.beat()
    assert Worker.objects.get().hanging == []
    assert "Restart this worker" not in client_in.get("/workers/").content.decode()
    now[0] += 120
    beating.beat()
    assert Worker.objects.get().hanging[0][0] == "a connection test"
    page = client_in.get("/workers/").content.decode()
    assert "1 hangs" in page and "busy with a connection test since" in page and "Restart this worker" in page
    pool.end("a")
    beating.beat()
    assert Worker.objects.get().stuck == []
    beating.stop()
