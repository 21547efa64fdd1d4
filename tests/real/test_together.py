"""The load of one cell from several real workers: on an attached server by TCP, on a sandbox, and when one is missing
or dies in the middle."""

import os
import secrets
import signal
from collections.abc import Iterator
from dataclasses import replace

import pytest
from django.utils import timezone

from dashboard.local.processes import Child
from dashboard.records.experiments import actions
from dashboard.records.experiments.models import Experiment, Part, Run
from dashboard.records.fleet.models import DEAD_AFTER, Worker
from dashboard.records.holds.models import HostLease
from dashboard.records.servers.models import Server
from tests.real.crew import Crew
from tests.real.lab import one_cell, started
from tests.real.parts import until
from tests.real.slow import SLOW, slowed
from tests.real.test_worker import alive, descendants, fresh, shorten
from workers.bench.plan import Plan
from workers.sandbox.server import Sandbox

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def attached(sandbox, transactional_db) -> Iterator[Server]:
    with slowed(sandbox):
        yield by_tcp("db", sandbox)


def by_tcp(name: str, sandbox: Sandbox) -> Server:
    """With a password that each worker opens from the vault."""
    target = sandbox.target
    server = Server(name=name, kind="attached", host=target.host, port=target.port, user=target.user)
    server.set_password(target.password)
    server.save()
    return server


@pytest.fixture
def box(transactional_db) -> Server:
    return Server.objects.create(name="box", kind="sandbox", build="system-mariadb")


def planned(server: Server, measure_s: int = 3, load_workers: int = 3, threads: int = 7, repeats: int = 1) -> Plan:
    return replace(
        one_cell(server, measure_s), load_workers=load_workers, threads=(threads,), repeats=repeats,
        seed=secrets.randbelow(2**20), warmup_s=1,
    )  # fmt: skip


@pytest.mark.parametrize("kind", ["attached", "box"])
def test_three_workers_measure_one_cell(kind, request, crew, sandbox_root):
    server = request.getfixturevalue(kind)
    crew.of(3)
    experiment = started(planned(server))
    until(lambda: fresh(experiment).is_over)
    assert (fresh(experiment).state, fresh(experiment).error) == ("done", "")
    run, done = Run.objects.select_related("series", "evidence").get(), list(Part.objects.all())
    assert [part.threads for part in done] == [3, 2, 2] and {part.state for part in done} == {"done"}
    assert len({part.by for part in done}) == 3
    counts = [part.result["transactions"] for part in done]
    assert all(counts) and run.transactions == sum(counts) == sum(count for _, count in run.evidence.histogram)
    assert all(part.began_s >= 0 and part.trip_s > 0 for part in done)
    committed = [one["value"] for one in run.figures if one["name"] == "binlog_commits" and one["value"] is not None]
    assert all(value == pytest.approx(run.transactions, rel=0.05) for value in committed)
    assert len(run.series.columns["tps"]) >= 3
    until(lambda: not HostLease.objects.exists())
    assert not list((sandbox_root / "live").glob("*/login.json"))


def loading(server: Server, crew: Crew) -> tuple[Experiment, list[Child]]:
    """Two workers put a load on a server until somebody ends it."""
    workers = crew.of(2)
    experiment = started(planned(server, measure_s=600, load_workers=2))
    until(lambda: Part.objects.filter(state="running").count() == 2 and loaders(workers) == 2)
    return experiment, workers


def test_cancelling_ends_all_parts(attached, crew):
    experiment, workers = loading(attached, crew)
    Experiment.objects.filter(pk=experiment.pk).update(cancel_asked=True)
    until(lambda: fresh(experiment).state == "cancelled")
    assert loaders(workers) == 0
    assert not Part.objects.exclude(state="failed").exists()


def test_a_server_that_is_lost_in_mid_run_ends_the_cell_and_every_sysbench(make_sandbox, transactional_db, crew):
    victim = make_sandbox(SLOW, name="victim")
    experiment, workers = loading(by_tcp("victim", victim), crew)
    victim.kill()
    until(lambda: fresh(experiment).is_over)
    cell, over = experiment.cells.get(), fresh(experiment)
    assert (over.state, cell.state) == ("failed", "failed")
    assert over.error and cell.error and cell.fix
    nothing_is_held(workers)
    assert not Run.objects.exists()
    assert not Part.objects.exclude(state="failed").exists()


def test_a_redis_that_is_lost_in_mid_run_is_told_and_what_was_measured_is_kept(attached, crew):
    """Nothing of a load that has begun needs it: the cell is measured. The next one is not begun without it."""
    workers = crew.of(2)
    experiment = started(planned(attached, measure_s=5, load_workers=2, repeats=3))
    until(lambda: Part.objects.filter(state="running").count() == 2 and loaders(workers) == 2)
    os.kill(crew.redis.pid, signal.SIGKILL)
    until(lambda: crew.redis.status is not None)
    until(lambda: fresh(experiment).is_over)
    assert fresh(experiment).state == "failed" and "Redis" in fresh(experiment).error + fresh(experiment).fix
    states = list(experiment.cells.order_by("position").values_list("state", flat=True))
    assert states == ["done", "failed", "waiting"] and Run.objects.count() == 1
    nothing_is_held(workers)
    assert not Part.objects.exclude(state__in=("done", "failed")).exists()

    shorten(experiment)
    crew.of(2)  # the same ones: only Redis begins anew
    actions.resume(fresh(experiment), None)
    until(lambda: fresh(experiment).state == "done")
    assert Run.objects.count() == 3


def test_a_joiner_that_is_killed_ends_the_cell_and_every_sysbench(attached, crew):
    experiment, workers = loading(attached, crew)
    conductor = fresh(experiment).worker.pid
    joiner = next(child for child in workers if child.pid != conductor)
    left = descendants(joiner.pid)
    os.kill(joiner.pid, signal.SIGKILL)
    until(lambda: not alive(left))
    Worker.objects.filter(pid=joiner.pid).update(beat_at=timezone.now() - DEAD_AFTER * 2)  # its silence lasted
    until(lambda: fresh(experiment).is_over)
    assert fresh(experiment).state == "failed" and "ended during its part" in fresh(experiment).error
    nothing_is_held(workers)
    assert not Part.objects.exclude(state="failed").exists()

    shorten(experiment)
    crew.of(2)
    actions.resume(fresh(experiment), None)
    until(lambda: fresh(experiment).state == "done")


def test_a_conductor_that_is_killed_ends_the_joiners_load(attached, crew):
    experiment, workers = loading(attached, crew)
    conductor = fresh(experiment).worker.pid
    os.kill(conductor, signal.SIGKILL)
    Worker.objects.filter(pid=conductor).update(beat_at=timezone.now() - DEAD_AFTER * 2)
    until(lambda: fresh(experiment).state == "interrupted")
    until(lambda: loaders(workers) == 0)
    until(lambda: Part.objects.get(number=1).state == "failed")


def test_a_worker_that_is_gone_since_it_was_planned_is_told(box, crew):
    crew.of(1)
    experiment = actions.create(planned(box, load_workers=1), None)
    Experiment.objects.filter(pk=experiment.pk).update(plan=experiment.plan | {"load_workers": 2})
    actions.notify_workers(experiment.pk)
    until(lambda: fresh(experiment).is_over)
    assert fresh(experiment).state == "failed"
    assert "needs 2 workers. Alive on host" in fresh(experiment).error
    assert not Part.objects.exists() and not HostLease.objects.exists()


def nothing_is_held(workers: list[Child]) -> None:
    """The conductor returns its leases after it has stored the end."""
    until(lambda: loaders(workers) == 0 and not HostLease.objects.exists())


def loaders(children: list[Child]) -> int:
    """How many sysbench processes run below these workers."""
    return sum("sysbench" in name for child in children for name in descendants(child.pid).values())
