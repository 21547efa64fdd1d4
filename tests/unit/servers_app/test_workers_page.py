"""The workers page."""

from datetime import timedelta

from django.utils import timezone

from dashboard.experiments.models import Experiment
from dashboard.fleet.models import HostLease, Worker
from dashboard.servers.models import Preflight

ABILITIES = {"cores": 2, "sysbench": "1.0.20", "builds": ["system-mariadb"], "fsync_trace": True}


def page(client):
    answer = client.get("/workers/")
    assert answer.status_code == 200
    return answer.content.decode()


def test_it_says_what_to_do_when_there_is_none(client_in):
    shown = page(client_in)
    assert "No worker is alive" in shown and "celery -A workers" in shown


def test_it_tells_the_living_from_the_dead(client_in):
    now = timezone.now()
    Worker.objects.create(host="one", pid=12345, abilities=ABILITIES)
    Worker.objects.create(host="two", pid=2, beat_at=now - timedelta(minutes=2))
    Worker.objects.create(host="three", pid=3, ended_at=now)
    Worker.objects.create(host="long ago", pid=4, beat_at=now - timedelta(days=3))
    shown = page(client_in)
    assert "1 alive" in shown and "pid 12345" in shown and "system-mariadb" in shown
    assert "badge dead" in shown and "badge cancelled" in shown and "long ago" not in shown


def test_it_says_which_crashes_are_not_possible_and_why(client_in):
    Worker.objects.create(host="able", pid=1, abilities=ABILITIES | {"crash_missing": {}})
    assert "all kinds of crash" in page(client_in)
    why = {"power-loss": "The kernel has no FUSE. Try: modprobe fuse."}
    Worker.objects.update(abilities=ABILITIES | {"crash_missing": why})
    shown = page(client_in)
    assert "1 kind of crash not possible" in shown and "power-loss: The kernel has no FUSE" in shown


def test_it_shows_what_each_does_and_who_holds_a_host(client_in, server):
    worker = Worker.objects.create(host="one", pid=1, abilities=ABILITIES)
    running = Experiment.objects.create(
        name="cost <b>", plan={}, seed=1, state="running", worker=worker, phase="cell 3"
    )
    HostLease.objects.create(host="db.example.org", experiment=running)
    Preflight.objects.create(server=server, state="running", worker=str(worker))
    shown = page(client_in)
    assert "cost &lt;b&gt;" in shown and "cell 3" in shown
    assert "tests <a" in shown and "<code>db.example.org</code>" in shown
