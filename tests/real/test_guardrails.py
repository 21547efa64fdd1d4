"""Each guardrail stops a run on real servers and everything is restored; a calm server is not stopped."""

import threading
import time
from contextlib import ExitStack, closing, suppress
from dataclasses import replace

import pytest
from django.db import connection as database

from dashboard.findings.stored import read
from dashboard.records.audit.models import Event
from dashboard.records.experiments import actions
from dashboard.records.experiments.models import Experiment
from dashboard.records.holds.models import PendingRestore
from dashboard.records.servers.models import Server
from tests.real.disks import needs_disk
from tests.real.registered import answered
from workers.bench.plan import CrashPlan, Plan, Variant, WorkloadChoice
from workers.conducting.conduct import conduct
from workers.crash.replica_link import Link
from workers.guardrails.limit import WatchRecord
from workers.sandbox import builds
from workers.sandbox.devices import Devices
from workers.sandbox.server import Sandbox
from workers.sandbox.storage import parse
from workers.servers import ask
from workers.servers.connection import connect
from workers.upkeep.heartbeat import Heartbeat

LIMIT_S = 90.0
GIB = 1 << 30
CHANGED = "SELECT @@GLOBAL.innodb_flush_log_at_trx_commit, @@GLOBAL.sync_binlog"
FAR = {"max_lag_s": 3600.0, "max_threads_running": 100_000, "min_free_gb": 0.01, "max_p99_ms": 600_000.0}


@pytest.fixture
def worker(transactional_db):
    heartbeat = Heartbeat()
    yield heartbeat.start()
    heartbeat.stop()


@pytest.fixture(scope="module")
def pair(make_sandbox):
    common = {"log_bin": "ON", "log_slave_updates": "ON", "gtid_strict_mode": "ON"}
    primary = make_sandbox({**common, "server_id": "71"}, name="guarded-primary")
    replica = make_sandbox({**common, "server_id": "72"}, name="guarded-replica")
    link = Link(primary, replica)
    link.begin()
    link.start()
    assert link.follow(30).state == "caught up"
    return primary, replica


@pytest.fixture
def servers(pair, worker):
    """Primary and replica as registered, each with its password; the replica has everything."""
    assert Link(*pair).follow(60).state == "caught up"
    found = []
    for sandbox, name in zip(pair, ("db1", "db2"), strict=True):
        server = answered(sandbox, name)
        server.set_password(sandbox.target.password)
        server.save()
        found.append(server)
    return found


def planned(server: Server, seconds: int = 60, *, flushed: bool = False, **limits: float) -> Experiment:
    level = "3" if flushed else "0"  # 3 flushes, and differs from the default
    plan = Plan(
        name="guarded",
        targets=tuple(actions.targets([server])),
        variants=(Variant("v", {"innodb_flush_log_at_trx_commit": level, "sync_binlog": str(int(flushed))}),),
        workloads=(WorkloadChoice("update", "update-by-key", {}),),
        threads=(2,),
        repeats=1,
        warmup_s=0,
        measure_s=seconds,
        table_rows=100,
        seed=1,
        crash=CrashPlan(),
    )
    return actions.create(replace(plan, **(FAR | limits)), None)


class Run:
    """An experiment that runs in a thread. `disturb` waits until it measures."""

    def __init__(self, experiment: Experiment, worker) -> None:
        self.experiment = experiment
        self._thread = threading.Thread(target=self._conduct, args=(worker,))
        self._thread.start()

    def _conduct(self, worker) -> None:
        try:
            conduct(self.experiment.pk, worker)
        finally:
            database.close()

    def until_it_measures(self) -> None:
        deadline = time.monotonic() + LIMIT_S
        while "measuring" not in Experiment.objects.values_list("activity", flat=True).get(pk=self.experiment.pk):
            assert time.monotonic() < deadline and self._thread.is_alive(), self.ended().error
            time.sleep(0.05)

    def ended(self) -> Experiment:
        self._thread.join(LIMIT_S)
        self.experiment.refresh_from_db()
        return self.experiment


def seen(experiment: Experiment) -> WatchRecord:
    return read(WatchRecord, experiment.watches.get().data)


def assert_stopped(experiment: Experiment, before, sandbox, says: str) -> None:
    """It ended as a stopped experiment does, said why, and left the server as it was."""
    assert (experiment.state, says in experiment.error) == ("interrupted", True), experiment.error
    assert "Settings were restored" in experiment.fix
    assert state_of(sandbox) == before
    restored = PendingRestore.objects.filter(experiment=experiment)
    assert {one.kind for one in restored} == {"variable", "schema"} and all(one.restored_at for one in restored)
    assert seen(experiment).trip and Event.objects.filter(did="stopped by a guardrail").exists()
    assert list(experiment.cells.values_list("state", flat=True)) == ["interrupted"]


def state_of(sandbox):
    with connect(sandbox.target) as link:
        return ask.rows(link, CHANGED), ask.rows(link, r"SHOW DATABASES LIKE 'durascope\_%%'")


def test_a_calm_server_is_measured_to_the_end_and_each_figure_is_kept(pair, servers, worker):
    experiment = Run(planned(servers[0], seconds=4, max_lag_s=30, max_p99_ms=30_000), worker).ended()
    assert (experiment.state, experiment.error) == ("done", "")
    record = seen(experiment)
    assert record.trip is None and record.unwatched == ()
    assert set(record.sampled) == {"at_s", *(one.key for one in record.limits)}
    assert len(record.limits) == 4 and len(record.sampled["at_s"]) >= 5
    assert all(value is not None for column in record.sampled.values() for value in column[2:])
    assert max(record.sampled["replica_1_lag_s"][2:]) < 30


def test_a_stopped_applier_stops_the_run(pair, servers, worker):
    before = state_of(pair[0])
    run = Run(planned(servers[0], max_lag_s=20), worker)
    run.until_it_measures()
    with connect(pair[1].target) as replica:
        ask.rows(replica, "STOP SLAVE SQL_THREAD")
        try:
            assert_stopped(run.ended(), before, pair[0], "replica lag of db2 is not known: its applier is stopped")
        finally:
            ask.rows(replica, "START SLAVE SQL_THREAD")


def test_lag_is_seen_by_the_heartbeat_before_the_replica_reports_it(pair, servers, worker):
    """A table lock on the replica: the applier runs and waits."""
    before = state_of(pair[0])
    run = Run(planned(servers[0], max_lag_s=2), worker)
    run.until_it_measures()
    with connect(pair[1].target) as replica:
        ask.rows(replica, "FLUSH TABLES WITH READ LOCK")
        experiment = run.ended()
        ask.rows(replica, "UNLOCK TABLES")
    assert_stopped(experiment, before, pair[0], "replica lag of db2 was ")


def test_threads_of_other_clients_stop_the_run_and_those_of_the_load_do_not(pair, servers, worker):
    before = state_of(pair[0])
    run = Run(planned(servers[0], max_threads_running=6), worker)
    run.until_it_measures()
    with ExitStack() as clients:
        for _ in range(12):
            threading.Thread(target=_sleep, args=(clients.enter_context(closing(connect(pair[0].target))),)).start()
        assert_stopped(run.ended(), before, pair[0], "running threads of other clients was ")


def _sleep(link) -> None:
    with suppress(Exception):
        ask.rows(link, "SELECT SLEEP(15)")


@needs_disk
def test_a_full_disk_and_a_slow_disk_stop_the_run(sandbox_root, worker):
    """One small file system on a device whose flush is fast at first."""
    with ExitStack() as made:
        devices = made.enter_context(Devices.create(sandbox_root, parse("k=1ms"), GIB))
        sandbox = made.enter_context(
            Sandbox.create(
                sandbox_root, builds.find("system-mariadb"), {"log_bin": "ON"}, name="small",
                datadir_on=devices.data, logs=devices.logs,
            )
        )  # fmt: skip
        made.callback(devices.give_way)
        server = answered(sandbox, "small")
        server.set_password(sandbox.target.password)
        server.save()
        before = state_of(sandbox)

        run = Run(planned(server, min_free_gb=0.4), worker)
        run.until_it_measures()
        filler = devices.data / "filler"
        with filler.open("wb") as file:
            for _ in range(600):
                file.write(bytes(1 << 20))
        assert_stopped(run.ended(), before, sandbox, "free disk space of ")
        filler.unlink()

        run = Run(planned(server, flushed=True, max_p99_ms=400), worker)
        run.until_it_measures()
        devices.charge()
        devices.disks[0].storage(500_000)
        assert_stopped(run.ended(), before, sandbox, "p99 of the probe's commits ")


def test_a_limit_that_is_passed_already_refuses_the_start_with_the_value(pair, servers, worker):
    before = state_of(pair[0])
    experiment = Run(planned(servers[0], min_free_gb=900_000), worker).ended()
    assert experiment.state == "failed"
    assert "The load was not started: free disk space of " in experiment.error
    assert "the limit is 900,000 GiB" in experiment.error
    assert state_of(pair[0]) == before
    assert list(experiment.cells.values_list("state", flat=True)) == ["waiting"]


def test_a_server_that_cannot_be_read_stops_the_run(pair, servers, worker):
    """The replica ends in the middle."""
    before = state_of(pair[0])
    run = Run(planned(servers[0], max_lag_s=60), worker)
    run.until_it_measures()
    pair[1].stop()
    try:
        assert_stopped(run.ended(), before, pair[0], "replica lag of db2 is not known: ")
    finally:
        pair[1].restart({})
