"""Whole experiments on what nobody should give: each ends with a clear message, and servers stay as they were."""

import os
import secrets
import shutil
import subprocess
from dataclasses import replace

import pytest

from dashboard.records.experiments import actions
from dashboard.records.experiments.models import Experiment
from dashboard.records.servers.models import Server
from tests.unit.bench.plans import plan
from workers.bench.plan import PlanTarget, Variant, WorkloadChoice
from workers.conducting.conduct import PORTS, conduct
from workers.conducting.job import Ports
from workers.servers import ask
from workers.servers.connection import connect

LITTLE_BYTES = 64 << 20  # for the rows of the load
SETTINGS = {"innodb_flush_log_at_trx_commit": "0", "sync_binlog": "7"}
ODD = """Robert'); DROP TABLE "x"; -- <b>&amp;</b> `y` %s \N{SNOWMAN}\N{PILE OF POO}"""


@pytest.fixture
def attach(transactional_db):
    """Registers a sandbox as if a DBA had; changes as given."""

    def register(target, name="Attached", password=None, **changed):
        known = {"host": target.host, "port": target.port, "user": target.user} | changed
        server = Server(name=name, kind="attached", **known)
        server.set_password(password or target.password)
        server.save()
        return server

    return register


def run(server: Server, worker, ports: Ports = PORTS, **changes) -> Experiment:
    """A small plan of one variant on this server, to its end."""
    small = {"variants": (Variant("0/7", SETTINGS),), "threads": (1,), "repeats": 1, "warmup_s": 0, "measure_s": 1}
    experiment = actions.create(plan(targets=(PlanTarget(server.pk, server.name),), **small | changes), None)
    conduct(experiment.pk, worker, ports)
    experiment.refresh_from_db()
    return experiment


def held(target) -> tuple[dict, set]:
    """The settings that a run would change, and the schemas there are."""
    with connect(target) as opened:
        values = {name: ask.value(opened, f"SELECT @@GLOBAL.{name}") for name in SETTINGS}
        return values, {name for (name,) in ask.rows(opened, "SHOW DATABASES")}


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"port": 9}, "Nothing listens at 127.0.0.1:9"),
        ({"host": "no-such-host.invalid"}, "The name in no-such-host.invalid"),
        ({"password": "wrong"}, "does not accept this account or password"),
        ({"user": "nobody-there"}, "does not accept this account or password"),
    ],
)
def test_a_server_that_does_not_let_us_in(worker, attach, sandbox, changed, reason):
    before = held(sandbox.target)
    server = attach(sandbox.target, **changed)
    experiment = run(server, worker)
    assert experiment.state == "failed"
    assert reason in experiment.error and experiment.fix
    assert not server.pending_restores.exists() and held(sandbox.target) == before
    assert set(experiment.cells.values_list("state", flat=True)) == {"waiting"}, "it can be resumed"


def test_a_server_that_goes_away_between_cells(worker, attach, make_sandbox):
    doomed = make_sandbox({"log_bin": "ON"}, name="doomed")

    def measure_and_kill(*how):
        done = PORTS.measure(*how)
        doomed.kill()
        return done

    server = attach(doomed.target)
    experiment = run(server, worker, replace(PORTS, measure=measure_and_kill), repeats=3)
    assert experiment.state == "failed" and experiment.error and experiment.fix
    assert sorted(experiment.cells.values_list("state", flat=True)) == ["done", "failed", "waiting"]
    pending = set(server.pending_restores.filter(restored_at=None).values_list("kind", flat=True))
    assert pending == {"variable", "schema"}, "what could not be put back stays written down"


def test_a_schema_of_ours_that_is_there_already(worker, attach, sandbox, monkeypatch):
    server = attach(sandbox.target)
    monkeypatch.setattr(secrets, "token_hex", lambda _: "taken")
    last = Experiment.objects.create(
        name="the one before", plan={}, seed=1, state="done"
    ).pk  # numbers go on after rows are gone
    names = [f"durascope_{last + n}_taken_0" for n in range(1, 50)]
    with connect(sandbox.target) as opened:
        for name in names:
            ask.rows(opened, f"CREATE DATABASE {name}")
        before = held(sandbox.target)
        experiment = run(server, worker)
        after = held(sandbox.target)
        for name in names:
            ask.rows(opened, f"DROP DATABASE IF EXISTS {name}")
    assert experiment.state == "failed"  # the watch of the guardrails makes the schema, before the first measurement
    assert "_taken_0 already exists; it was not touched" in experiment.error and experiment.fix
    assert after == before and not server.pending_restores.filter(restored_at=None).exists()


def test_names_with_quotes_markup_and_emoji(worker, attach, sandbox):
    before = held(sandbox.target)
    odd = ODD[:80]
    experiment = run(
        attach(sandbox.target, name=odd),
        worker,
        name=ODD,
        variants=(Variant(odd, SETTINGS),),
        workloads=(WorkloadChoice(odd, "insert-ignore", {"existing_percent": "10"}),),
    )
    assert experiment.state == "done", experiment.error
    assert held(sandbox.target) == before


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting needs root")
def test_a_disk_that_fills_up_under_load(worker, sandbox_root, settings, transactional_db):
    folder = sandbox_root / "filling"
    folder.mkdir()

    def measured_with_little_room(*how):
        with (folder / "filler").open("wb") as filler:
            os.posix_fallocate(filler.fileno(), 0, shutil.disk_usage(folder).free - LITTLE_BYTES)
        return PORTS.measure(*how)

    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=560m,mode=755", "durascope-test", folder], check=True)
    try:
        settings.SANDBOX_ROOT = str(folder)
        server = Server.objects.create(name="Small", kind="sandbox", build="system-mariadb")
        fat = (WorkloadChoice("fat", "rows-per-transaction", {"rows": "10000"}),)
        off = (Variant("off", {"log_bin": "OFF", "innodb_flush_log_at_trx_commit": "0"}),)
        ports = replace(PORTS, measure=measured_with_little_room)
        experiment = run(server, worker, ports, workloads=fat, variants=off, threads=(4,), measure_s=120)
        assert list((folder / "live").iterdir()) == []
    finally:
        still_open = subprocess.run(["umount", folder]).returncode
        if still_open:
            subprocess.run(["umount", "--lazy", folder], check=True)
        folder.rmdir()
    assert not still_open, "the worker still holds a file of it open"
    cell = experiment.cells.get()
    assert cell.state == "failed"
    assert "full" in cell.error and cell.fix


def test_a_workload_parameter_that_does_not_fit(attach, sandbox):
    server = attach(sandbox.target)
    wrong = (WorkloadChoice("x", "rows-per-transaction", {"rows": "many"}),)
    with pytest.raises(actions.PlanError, match="'many' is not a whole number"):
        actions.create(plan(targets=(PlanTarget(server.pk, server.name),), workloads=wrong), None)
    assert not Experiment.objects.exists()
