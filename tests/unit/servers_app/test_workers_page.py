"""The workers page."""

from datetime import timedelta

from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from dashboard.records.experiments import worker_lines
from dashboard.records.experiments.models import Experiment
from dashboard.records.fleet.models import Worker
from dashboard.records.holds.models import HostLease
from dashboard.records.servers.models import Preflight
from tests.markup import flat

ABILITIES = {"cores": 2, "sysbench": "1.0.20", "builds": {"system-mariadb": {}}, "fsync_trace": True}


def page(client):
    answer = client.get("/workers/")
    assert answer.status_code == 200
    return answer.content.decode()


def test_the_page_says_what_to_do_when_there_is_no_worker(client_in):
    shown = page(client_in)
    assert "No worker is alive" in " ".join(shown.split()) and "manage.py worker" in shown


def test_living_and_dead_workers_are_told_apart(client_in):
    now = timezone.now()
    Worker.objects.create(host="one", pid=12345, abilities=ABILITIES)
    Worker.objects.create(host="two", pid=2, beat_at=now - timedelta(minutes=2))
    Worker.objects.create(host="three", pid=3, ended_at=now)
    Worker.objects.create(host="long ago", pid=4, beat_at=now - timedelta(days=3))
    shown = page(client_in)
    assert "1 worker is alive" in shown and "pid 12345" in shown and "system-mariadb" in shown
    assert "badge dead" in shown and "badge cancelled" in shown and "long ago" not in shown


def test_the_page_says_what_a_host_cannot_do_why_and_the_fix(client_in):
    Worker.objects.create(host="able", pid=1, abilities=ABILITIES | {"crash_missing": {}, "disk_missing": ""})
    shown = page(client_in)
    assert "can be simulated" in shown and "not possible" not in shown.lower() and "badge warned" not in shown
    Worker.objects.update(
        abilities=ABILITIES | {"crash_missing": {}, "disk_missing": "", "disk_risk": "A disk can wait for itself."}
    )
    assert "can be simulated" in (shown := page(client_in)) and "A disk can wait for itself." in shown
    why = "The kernel has no FUSE. Try: modprobe fuse."
    unable = {"disk_missing": why, "crash_missing": {"power-loss": why, "process-kill": "Nobody may."}}
    Worker.objects.update(abilities=ABILITIES | unable)
    shown = page(client_in)
    assert "can be simulated" not in shown and shown.count(why) == 1  # one cause, said once
    assert "process kill: Nobody may." in shown


def test_the_page_says_what_does_not_separate_sandboxes_from_the_worker(client_in):
    Worker.objects.create(host="plain", pid=1, abilities=ABILITIES | {"not_apart": "This kernel has no Landlock."})
    shown = page(client_in)
    assert "no user of their own" in shown and "This kernel has no Landlock." in shown
    Worker.objects.update(abilities=ABILITIES | {"not_apart": ""})
    assert "run under a system user of their own" in flat(page(client_in))


def test_the_page_names_the_programs_that_a_worker_lacks(client_in):
    Worker.objects.create(host="bare", pid=1, abilities={"sysbench": "", "builds": {}, "fsync_trace": False})
    shown = flat(page(client_in))
    for fix in (
        "apt-get install sysbench",
        "apt-get install gcc",
        "This worker cannot make a sandbox",
        "/workers/builds/",
    ):
        assert fix in shown
    assert "not reported" in shown  # of an older worker nothing is claimed


def test_the_ended_are_folded_while_one_lives(client_in):
    Worker.objects.create(host="gone", pid=1, ended_at=timezone.now())
    assert '<details class="evidence" open>' in page(client_in)
    Worker.objects.create(host="here", pid=2)
    shown = flat(page(client_in))
    assert '<details class="evidence">' in shown and "1 stopped and 0 dead within the last day" in shown


def test_a_connection_test_is_shown_once_when_its_worker_goes_on_as_a_new_row(server):
    old, new = (Worker.objects.create(host="frozen", pid=7) for _ in range(2))
    Worker.objects.filter(pk=old.pk).update(ended_at=timezone.now())
    Preflight.objects.create(server=server, state="running", worker=str(old))
    assert [(one.worker, len(one.preflights)) for one in worker_lines.lines()] == [(new, 1), (old, 0)]


def test_the_page_needs_no_more_queries_for_many_workers(client_in, server):
    def queries_with(*numbers):
        for n in numbers:
            worker = Worker.objects.create(host=f"host{n}", pid=n, abilities=ABILITIES)
            experiment = Experiment.objects.create(name="x", plan={}, seed=1, state="running", worker=worker)
            HostLease.objects.create(host=f"db{n}", experiment=experiment)
            Preflight.objects.create(server=server, state="running", worker=str(worker))
        with CaptureQueriesContext(connection) as asked:
            shown = page(client_in)
        return len(asked), shown

    few, _ = queries_with(0, 1)
    many, shown = queries_with(*range(2, 20))
    assert "20 workers are alive" in shown
    assert many == few <= 14  # PostgreSQL is asked for its size; SQLite's is that of a file


def test_the_page_shows_the_experiment_of_each_worker_and_the_holder_of_a_host(client_in, server):
    worker = Worker.objects.create(host="one", pid=1, abilities=ABILITIES)
    running = Experiment.objects.create(
        name="cost <b>", plan={}, seed=1, state="running", worker=worker, activity="cell 3"
    )
    HostLease.objects.create(host="db.example.org", experiment=running)
    Preflight.objects.create(server=server, state="running", worker=str(worker))
    shown = page(client_in)
    assert "cost &lt;b&gt;" in shown and "cell 3" in shown
    assert "tests <a" in shown and "<code>db.example.org</code>" in shown
