"""A real Redis and a real Celery worker: what happens to an experiment when they die in mid-run."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from django.utils import timezone

from dashboard.records.experiments import actions
from dashboard.records.experiments.models import Cell, Experiment, Run
from dashboard.records.fleet.models import DEAD_AFTER, Worker
from dashboard.records.holds.models import HostLease
from dashboard.records.servers.models import Preflight, Server
from tests.real.disks import leavings, needs_disk
from tests.real.lab import one_cell, started
from workers.bench import recipes
from workers.upkeep import housekeeping

QUICK = {"threads": "1", "repeats": "1", "warmup_s": "0", "measure_s": "3", "table_rows": "500", "seed": "1"}


@pytest.fixture
def start_worker(transactional_db, crew, sandbox_root, settings):
    """A Celery worker on the test database; after one that was ended, another."""
    settings.SANDBOX_ROOT = str(sandbox_root)
    return lambda: crew.of(1)[0]


@pytest.fixture
def sandbox_server(transactional_db):
    return Server.objects.create(name="Sandbox", kind="sandbox", build="system-mariadb")


def make(server: Server, measure_s: int) -> Experiment:
    """Two cells."""
    return started(replace(one_cell(server, measure_s), repeats=2))


def make_crash(server: Server) -> Experiment:
    """One power loss of the safest setting, and nothing measured."""
    crash = {"trials": "1", "kinds": "power-loss", "control_trials": "0", "clients": "4", "load_s": "120"}
    plan = actions.plan_recipe(recipes.load("what-does-safety-cost"), [server], QUICK | crash)
    experiment = actions.create(plan, None)
    experiment.cells.all().delete()
    experiment.trials.exclude(variant="1/1").delete()
    actions.notify_workers(experiment.pk)
    return experiment


def after_housekeeping() -> bool:
    housekeeping.run(lambda pk: None, lambda pk: None)
    return True


def test_a_killed_worker_leaves_nothing_running_and_its_experiment_can_be_resumed(
    start_worker, sandbox_server, sandbox_root
):
    worker = start_worker()
    experiment = make(sandbox_server, measure_s=600)
    until(
        lambda: fresh(experiment).cells.filter(state="running").exists() and "measuring" in fresh(experiment).activity
    )
    until(lambda: any("sysbench" in name for name in descendants(worker.pid).values()))  # shortly after it is told
    children = descendants(worker.pid)
    assert any("mariadbd" in name for name in children.values())

    os.kill(worker.pid, signal.SIGKILL)
    until(lambda: not alive(children))

    Worker.objects.update(beat_at=timezone.now() - DEAD_AFTER * 2)  # as if its silence had lasted
    housekeeping.run(lambda pk: None, lambda pk: None)
    assert fresh(experiment).state == "interrupted"
    assert experiment.cells.filter(state="interrupted").count() == 1
    assert not HostLease.objects.exists()
    until(
        lambda: after_housekeeping() and not owned_by(worker.pid, sandbox_root)
    )  # its last thread may end after its children

    shorten(experiment)
    actions.resume(fresh(experiment), None)
    start_worker()
    until(lambda: fresh(experiment).state == "done")
    assert experiment.cells.filter(state=Cell.State.DONE).count() == 2


@needs_disk
def test_a_worker_killed_in_a_crash_trial_leaves_nothing_and_the_trial_can_be_resumed(
    start_worker, sandbox_server, sandbox_root
):
    worker = start_worker()
    experiment = make_crash(sandbox_server)
    until(lambda: fresh(experiment).activity == "Crash trial (power loss): load by the clients")
    children = descendants(worker.pid)
    assert any("mariadbd" in name for name in children.values())
    mounts, loops, disks = leavings(sandbox_root)
    assert mounts and loops and disks, "else the test sees nothing"

    os.kill(worker.pid, signal.SIGKILL)
    until(lambda: not alive(children))
    Worker.objects.update(beat_at=timezone.now() - DEAD_AFTER * 2)  # as if its silence had lasted
    until(lambda: after_housekeeping() and not owned_by(worker.pid, sandbox_root))
    assert leavings(sandbox_root) == (0, 0, [])
    assert fresh(experiment).state == "interrupted"
    trial = experiment.trials.get()
    assert (trial.state, trial.verdict) == ("interrupted", "")
    assert not HostLease.objects.exists()

    plan = fresh(experiment).plan
    Experiment.objects.filter(pk=experiment.pk).update(plan=plan | {"crash": plan["crash"] | {"load_s": 0.6}})
    actions.resume(fresh(experiment), None)
    start_worker()
    until(lambda: fresh(experiment).state == "done")
    trial.refresh_from_db()
    assert (trial.state, trial.error) == ("done", "") and trial.verdict in ("valid", "invalid")
    assert leavings(sandbox_root) == (0, 0, [])


def test_a_restart_of_redis_in_mid_run_loses_nothing(start_worker, sandbox_server, crew):
    start_worker()
    experiment = make(sandbox_server, measure_s=3)
    until(lambda: "measuring" in fresh(experiment).activity)
    crew.redis.stop()
    time.sleep(1)
    start_worker()  # the same one: only Redis begins anew
    until(lambda: fresh(experiment).state == "done")
    assert Run.objects.filter(cell__experiment=experiment).count() == 2
    second = actions.create(one_cell(sandbox_server), None)
    actions.notify_workers(second.pk)
    until(lambda: fresh(second).state == "done")


def test_a_stopped_worker_interrupts_its_experiment(start_worker, sandbox_server):
    worker = start_worker()
    experiment = make(sandbox_server, measure_s=600)
    until(lambda: "measuring" in fresh(experiment).activity)
    worker.stop(limit_s=180)  # on a machine that is slow and busy
    assert fresh(experiment).state == "interrupted"
    assert "Resume" in fresh(experiment).fix
    assert not alive(descendants(worker.pid))


def test_a_lost_task_is_sent_again(sandbox_server, transactional_db, crew):
    crew.of(0)  # a worker would send it itself
    plan = one_cell(sandbox_server)
    lost = actions.create(plan, None)
    Experiment.objects.filter(pk=lost.pk).update(created_at=timezone.now() - 2 * housekeeping.UNHEARD)
    fresh_one = actions.create(plan, None)
    sent: list[int] = []
    housekeeping.run(sent.append, lambda pk: None)
    assert lost.pk in sent
    assert fresh_one.pk not in sent


def test_a_preflight_reaches_the_server_through_the_worker(start_worker, sandbox):
    start_worker()
    target = sandbox.target
    server = Server(name="Shared", kind="attached", host=target.host, port=target.port, user=target.user)
    server.set_password(target.password)
    server.save()
    from dashboard.records.servers.actions import ask_preflight

    ask_preflight(None, server)
    until(lambda: Preflight.objects.get(server=server).state == "done")
    done = Preflight.objects.get(server=server)
    assert {check["outcome"] for check in done.checks} <= {"passed", "warned", "unknown"}
    assert done.facts["flavour"] == "mariadb"
    assert done.durability


def shorten(experiment: Experiment) -> None:
    """The cells that are left measure one second: this test is about resuming, not about measuring."""
    plan = fresh(experiment).plan | {"measure_s": 1}
    Experiment.objects.filter(pk=experiment.pk).update(plan=plan)


def fresh(experiment: Experiment) -> Experiment:
    return Experiment.objects.get(pk=experiment.pk)


def descendants(pid: int) -> dict[int, str]:
    """Process ids below `pid` with their command names."""
    found: dict[int, str] = {}
    parents = [pid]
    for parent in parents:
        for child in children(parent):
            with suppress(OSError):  # it has just ended
                found[child] = Path(f"/proc/{child}/comm").read_text().strip()
                parents.append(child)
    return found


def children(pid: int) -> Iterator[int]:
    for thread in Path(f"/proc/{pid}/task").glob("*"):
        with suppress(OSError):
            yield from map(int, (thread / "children").read_text().split())


def alive(processes: dict[int, str]) -> list[str]:
    return [name for pid, name in processes.items() if Path(f"/proc/{pid}/comm").exists() and not zombie(pid)]


def zombie(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def owned_by(pid: int, sandbox_root: Path) -> list[str]:
    """Live sandbox folders whose owner file names this process."""
    owners = (sandbox_root / "live").glob("*/owner.json")
    return [str(path) for path in owners if f'"pid": {pid}' in path.read_text()]


def until(true, limit_s: float = 180.0) -> None:
    deadline = time.monotonic() + limit_s
    while not true():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.1)
