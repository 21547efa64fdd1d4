"""Real workers on two sites, and on two hosts of one site: one database, one Redis, and nothing else in common. A host
of another name is a UTS namespace."""

import os
import shutil
import signal
import subprocess
import sys
from collections import Counter
from dataclasses import replace

import pytest
from django.conf import settings as django_settings
from django.utils import timezone

from dashboard.installation import vault
from dashboard.installation.home import PROJECT, redis_url
from dashboard.local import programs, redis
from dashboard.local.processes import Child
from dashboard.records.experiments import actions, queries
from dashboard.records.experiments.models import Cell, Experiment, Run
from dashboard.records.fleet import task_queue
from dashboard.records.fleet.models import DEAD_AFTER, Worker
from dashboard.records.holds.models import HostLease
from dashboard.records.servers import actions as servers
from dashboard.records.servers.models import Preflight, Server
from tests.real.lab import one_cell
from tests.real.test_worker import alive, descendants, fresh, owned_by, shorten, until

pytestmark = pytest.mark.django_db(transaction=True)
OTHER_HOST = "host-b"
RENAMED = ("unshare", "--uts", "sh", "-c", 'hostname "$0" && exec "$@"', OTHER_HOST)


def can_rename() -> bool:
    return bool(shutil.which("unshare")) and not subprocess.run(
        [*RENAMED, "true"], capture_output=True, check=False
    ).returncode  # fmt: skip


needs_hosts = pytest.mark.skipif(not can_rename(), reason="no UTS namespaces here: one host cannot stand for two")


@pytest.fixture
def redis_server():
    child = Child(redis.program(django_settings.HOME))
    child.wait_until_ready()
    yield child
    child.stop()


@pytest.fixture
def join(redis_server, tmp_path_factory, sandbox_root):
    """`join("east")`: a worker of that site with a home, sandboxes and builds of its own."""
    started = []

    def start(site: str, *, host: str = "", builds: str = "none") -> Child:
        home = tmp_path_factory.mktemp("home")
        sandboxes = sandbox_root / site
        sandboxes.mkdir(exist_ok=True)
        program = programs.worker(home)
        environment = {
            "DURASCOPE_HOME": str(home),
            "DURASCOPE_REDIS": redis_url(),
            "DURASCOPE_PASSWORD_KEYS": " ".join(vault.keys()),
            "DURASCOPE_SQLITE": str(django_settings.DATABASES["default"]["NAME"]),
            "DURASCOPE_SANDBOXES": str(sandboxes),
            "DURASCOPE_BUILDS": str(sandbox_root / builds),
            "PYTHONPATH": str(PROJECT),
        }
        argv = [*(RENAMED if host else ()), sys.executable, "manage.py", "worker", "--site", site]
        known = set(Worker.objects.values_list("pk", flat=True))
        child = Child(replace(program, argv=argv, env=environment, ready=lambda pid: bool(joined(site, known))))
        started.append(child)
        child.wait_until_ready()
        return child

    yield start
    for child in started:
        child.stop()


def joined(site: str, known: set[int]) -> bool:
    return Worker.objects.alive().filter(site=site, listens=True).exclude(pk__in=known).exists()


def box(site: str) -> Server:
    return Server.objects.create(name=f"box {site}", kind="sandbox", build="system-mariadb", site=site)


def planned(server: Server, measure_s: int = 1) -> Experiment:
    """One cell: these tests are about who measures it."""
    return actions.create(one_cell(server, measure_s), None)


def test_a_worker_of_another_site_never_takes_a_job_and_finds_out_what_died_there(join, sandbox_root):
    join("east")
    west = join("west")
    first = planned(box("east"), measure_s=1)
    actions.notify_workers(first.pk)
    until(lambda: fresh(first).state == "done")
    second = planned(box("west"), measure_s=600)  # not before: one host measures one at a time, whichever comes first
    actions.notify_workers(second.pk)
    until(lambda: "measuring" in fresh(second).phase)
    assert (fresh(first).worker.site, fresh(second).worker.site) == ("east", "west")
    assert Run.objects.filter(cell__experiment=first).count() == 1

    children = descendants(west.pid)
    os.kill(west.pid, signal.SIGKILL)
    until(lambda: not alive(children))
    Worker.objects.filter(site="west").update(beat_at=timezone.now() - DEAD_AFTER * 2)  # as if its silence had lasted
    until(lambda: fresh(second).state == "interrupted")  # the eastern worker's round
    left = owned_by(west.pid, sandbox_root / "west")
    assert left and not HostLease.objects.exists()

    shorten(second)
    actions.resume(fresh(second), None)
    assert "No worker is alive on site west" in told(second)
    third = planned(Server.objects.get(site="east"), measure_s=1)
    actions.notify_workers(third.pk)
    until(lambda: fresh(third).state == "done")
    assert fresh(second).state == "queued" and owned_by(west.pid, sandbox_root / "west") == left

    join("west")
    until(lambda: fresh(second).state == "done")
    assert fresh(second).worker.site == "west"
    assert Counter(second.cells.values_list("state", flat=True)) == {Cell.State.DONE: 1}
    until(lambda: not owned_by(west.pid, sandbox_root / "west"))


def told(experiment: Experiment) -> str:
    return queries.live_state(fresh(experiment))["phase"]


def test_a_connection_is_tested_from_the_site_of_its_server(join, sandbox):
    join("east")
    join("west")
    target = sandbox.target
    server = Server(name="db", kind="attached", host=target.host, port=target.port, user=target.user, site="west")
    server.set_password(target.password)
    server.save()
    servers.ask_preflight(None, server)
    until(lambda: Preflight.objects.get().state == "done")
    answered = Preflight.objects.get()
    assert answered.worker == str(Worker.objects.get(site="west"))
    assert answered.facts["flavour"] == "mariadb", answered.checks


def test_two_workers_that_race_for_one_job_run_it_once(join):
    join("east")
    join("east")
    experiment = planned(box("east"), measure_s=2)
    for _ in range(12):
        actions.notify_workers(experiment.pk)
    until(lambda: fresh(experiment).state == "done")
    assert Run.objects.filter(cell__experiment=experiment).count() == 1
    assert not HostLease.objects.exists()


@needs_hosts
def test_an_experiment_goes_to_the_host_that_can_run_it(join, sandbox_root):
    """Whichever hears the bell first: half of all rings reach the host without the build."""
    added = [sys.executable, "manage.py", "build", "add", "mine", "--basedir", "/usr"]
    environment = {**os.environ, "DURASCOPE_BUILDS": str(sandbox_root / "with")}
    subprocess.run(added, cwd=PROJECT, env=environment, check=True, capture_output=True)
    join("east", host=OTHER_HOST)
    join("east", builds="with")
    server = Server.objects.create(name="box", kind="sandbox", build="mine", site="east")
    for _ in range(3):
        experiment = planned(server, measure_s=1)
        task_queue.send(task_queue.EXPERIMENT, experiment.pk, "east", OTHER_HOST)
        until(lambda one=experiment: fresh(one).is_over)
        assert (fresh(experiment).state, fresh(experiment).error) == ("done", "")
        assert fresh(experiment).worker.host != OTHER_HOST
