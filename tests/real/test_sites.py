"""Real workers on two sites, and on two hosts of one site: one database, one Redis, and nothing else in common. A host
of another name is a UTS namespace."""

import os
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from django.core.management import call_command
from django.utils import timezone

from dashboard.installation import vault
from dashboard.installation.home import PROJECT, redis_url
from dashboard.local import programs
from dashboard.local.processes import Child, Program
from dashboard.records.experiments import actions, queries
from dashboard.records.experiments.models import Cell, Experiment, Run
from dashboard.records.fleet import task_queue
from dashboard.records.fleet.models import DEAD_AFTER, Worker
from dashboard.records.holds.models import HostLease
from dashboard.records.servers import actions as servers
from dashboard.records.servers.models import Preflight, Server
from tests.real import parts
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


@dataclass(frozen=True)
class Wanted:
    """A worker of that site, with a home and sandboxes of its own; `host`: of another host."""

    site: str
    host: str = ""
    builds: str = "none"


class Workers:
    """Processes that the tests share: to start one takes seconds."""

    def __init__(self, homes: Callable[[str], Path], sandboxes: Path) -> None:
        self._homes, self._sandboxes = homes, sandboxes
        self._children: dict[Wanted, Child] = {}

    def of(self, *wanted: Wanted) -> list[Child]:
        """These and no others, alive and registered: tests empty the table of workers when they end."""
        for one, child in list(self._children.items()):
            if one not in wanted or child.status is not None:
                self._children.pop(one).stop()
        for one in wanted:
            if one not in self._children:
                self._children[one] = Child(self._program(one))
        pids = sorted(child.pid for child in self._children.values())
        until(lambda: sorted(Worker.objects.alive().filter(listens=True).values_list("pid", flat=True)) == pids)
        return [self._children[one] for one in wanted]

    def _program(self, one: Wanted) -> Program:
        home, sandboxes = self._homes("home"), self._sandboxes / one.site
        sandboxes.mkdir(exist_ok=True)
        environment = {
            "DURASCOPE_HOME": str(home),
            "DURASCOPE_REDIS": redis_url(),
            "DURASCOPE_PASSWORD_KEYS": " ".join(vault.keys()),
            "DURASCOPE_SQLITE": str(django_settings.DATABASES["default"]["NAME"]),
            "DURASCOPE_SANDBOXES": str(sandboxes),
            "DURASCOPE_BUILDS": str(self._sandboxes / one.builds),
            "PYTHONPATH": str(PROJECT),
        }
        argv = [*(RENAMED if one.host else ()), sys.executable, "manage.py", "worker", "--site", one.site]
        return replace(programs.worker(home), argv=argv, env=environment)

    def stop(self) -> None:
        for child in self._children.values():
            child.ask_to_stop()
        for child in self._children.values():
            child.stop()


@pytest.fixture(scope="module")
def workers(tmp_path_factory, sandbox_root):
    with parts.redis_server():
        made = Workers(tmp_path_factory.mktemp, sandbox_root)
        yield made
        made.stop()


EAST, WEST = Wanted("east"), Wanted("west")
OF_ANOTHER_HOST = Wanted("east", host=OTHER_HOST if can_rename() else "")
WITH_A_BUILD = Wanted("east", builds="with")  # one that a test adds


def box(site: str) -> Server:
    return Server.objects.create(name=f"box {site}", kind="sandbox", build="system-mariadb", site=site)


def planned(server: Server, measure_s: int = 1) -> Experiment:
    """One cell: these tests are about who measures it."""
    return actions.create(one_cell(server, measure_s), None)


def test_a_worker_of_another_site_never_takes_a_job_and_finds_out_what_died_there(workers, sandbox_root):
    _, west = workers.of(EAST, WEST)
    first = planned(box("east"), measure_s=1)
    actions.notify_workers(first.pk)
    until(lambda: fresh(first).state == "done")
    second = planned(box("west"), measure_s=600)  # not before: one host measures one at a time, whichever comes first
    actions.notify_workers(second.pk)
    until(lambda: "measuring" in fresh(second).activity)
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

    workers.of(EAST, WEST)
    until(lambda: fresh(second).state == "done")
    assert fresh(second).worker.site == "west"
    assert Counter(second.cells.values_list("state", flat=True)) == {Cell.State.DONE: 1}
    until(lambda: not owned_by(west.pid, sandbox_root / "west"))


def told(experiment: Experiment) -> str:
    return queries.live_state(fresh(experiment))["activity"]


def test_a_connection_is_tested_from_the_site_of_its_server(workers, sandbox):
    workers.of(EAST, WEST)
    target = sandbox.target
    server = Server(name="db", kind="attached", host=target.host, port=target.port, user=target.user, site="west")
    server.set_password(target.password)
    server.save()
    servers.ask_preflight(None, server)
    until(lambda: Preflight.objects.get().state == "done")
    answered = Preflight.objects.get()
    assert answered.worker == str(Worker.objects.get(site="west"))
    assert answered.facts["flavour"] == "mariadb", answered.checks


def test_two_workers_that_race_for_one_job_run_it_once(workers):
    workers.of(OF_ANOTHER_HOST, WITH_A_BUILD)
    experiment = planned(box("east"), measure_s=2)
    for _ in range(12):
        actions.notify_workers(experiment.pk)
    until(lambda: fresh(experiment).state == "done")
    assert Run.objects.filter(cell__experiment=experiment).count() == 1
    assert not HostLease.objects.exists()


@needs_hosts
def test_an_experiment_goes_to_the_host_that_can_run_it(workers, sandbox_root, monkeypatch):
    """The host without the build is told first."""
    monkeypatch.setenv("DURASCOPE_BUILDS", str(sandbox_root / WITH_A_BUILD.builds))
    call_command("build", "add", "mine", "--basedir", "/usr", stdout=StringIO())
    workers.of(OF_ANOTHER_HOST, WITH_A_BUILD)
    until(lambda: "mine" in Worker.objects.alive().exclude(host=OTHER_HOST).get().abilities["builds"])
    experiment = planned(Server.objects.create(name="box", kind="sandbox", build="mine", site="east"))
    task_queue.send(task_queue.EXPERIMENT, experiment.pk, "east", OTHER_HOST)
    until(lambda: fresh(experiment).is_over)
    assert (fresh(experiment).state, fresh(experiment).error) == ("done", "")
    assert fresh(experiment).worker.host != OTHER_HOST
