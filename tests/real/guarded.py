"""A primary on a small device with a replica, both registered, and what makes each guardrail stop a run there."""

import os
import secrets
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from django.db import connection as database

from dashboard.installation.stored import read
from dashboard.records.experiments import actions
from dashboard.records.experiments.models import Experiment
from dashboard.records.fleet.models import Worker
from dashboard.records.holds.models import PendingRestore
from dashboard.records.servers.account import statements
from dashboard.records.servers.models import Server
from tests.real.registered import answered
from workers.bench.plan import CrashPlan, Plan, Variant, WorkloadChoice
from workers.conducting.conduct import conduct
from workers.crash.replica_link import Link
from workers.guardrails.limit import WatchRecord
from workers.sandbox.builds import Build
from workers.sandbox.devices import Devices
from workers.sandbox.server import Sandbox
from workers.sandbox.storage import parse
from workers.servers import ask, look
from workers.servers.answered import AnsweredFacts
from workers.servers.connection import connect

LIMIT_S = 90.0
GIB = 1 << 30
CLIENTS = 12
FAR = {"max_lag_s": 3600.0, "max_threads_running": 100_000, "min_free_gb": 0.01, "max_p99_ms": 600_000.0}
COMMON = {"log_bin": "ON", "log_slave_updates": "ON"}
FOLLOWER = {"server_id": "72", "innodb_flush_log_at_trx_commit": "0", "sync_binlog": "0"}  # it keeps up
BY_GTID = {
    "mariadb": {"gtid_strict_mode": "ON"},
    "mysql": {"gtid_mode": "ON", "enforce_gtid_consistency": "ON"},
}


@dataclass(frozen=True)
class GuardedPair:
    """`devices`: of the primary. Their flushes take 1 ms until `slow_disk`."""

    primary: Sandbox
    replica: Sandbox
    devices: Devices


@contextmanager
def pair_of(root: Path, build: Build, own: Mapping[str, str]) -> Iterator[GuardedPair]:
    """`own`: settings of the primary alone."""
    settings = COMMON | BY_GTID[build.flavour]
    of_primary = settings | {"server_id": "71"} | own
    with ExitStack() as made:
        devices = made.enter_context(Devices.create(root, parse("k=1ms"), GIB))
        primary = made.enter_context(
            Sandbox.create(root, build, of_primary, name="guarded", datadir_on=devices.data, logs=devices.logs)
        )
        made.callback(devices.give_way)
        replica = made.enter_context(Sandbox.create(root, build, settings | FOLLOWER, name="follower"))
        link = Link(primary, replica)
        link.begin()
        link.start()
        assert link.follow(LIMIT_S).state == "caught up"
        yield GuardedPair(primary, replica, devices)


def registered(pair: GuardedPair, primary: str = "db1", replica: str = "db2") -> Server:
    """The primary. Both are registered with the account that the page of a server prints for it."""
    _with_least_account(pair.replica, replica)
    return _with_least_account(pair.primary, primary)


def _with_least_account(sandbox: Sandbox, name: str) -> Server:
    account = replace(sandbox.target, user="least", password=secrets.token_hex(8) + "-A1")
    with connect(sandbox.target) as admin:
        known = look.read(admin)
        facts = AnsweredFacts(flavour=known.flavour, version_text=known.version_text)
        (shown,) = statements(Server(user=account.user, socket=account.socket), facts)
        printed = shown.sql.replace("'...'", f"'{account.password}'").rstrip(";").split(";\n")
        user = printed[0].split()[2]
        for sql in ("SET SESSION sql_log_bin = 0", f"DROP USER IF EXISTS {user}", *printed):
            ask.rows(admin, sql)
    server = answered(sandbox, name, account)
    server.user = account.user
    server.set_password(account.password)
    server.save()
    return server


@contextmanager
def stopped_applier(pair: GuardedPair) -> Iterator[None]:
    with connect(pair.replica.target) as replica:
        ask.rows(replica, "STOP SLAVE SQL_THREAD")
        yield
        ask.rows(replica, "START SLAVE SQL_THREAD")


@contextmanager
def locked_replica(pair: GuardedPair) -> Iterator[None]:
    """The applier runs and waits."""
    with connect(pair.replica.target) as replica:
        ask.rows(replica, "FLUSH TABLES WITH READ LOCK")
        yield
        ask.rows(replica, "UNLOCK TABLES")


@contextmanager
def other_clients(pair: GuardedPair) -> Iterator[None]:
    with ExitStack() as clients:
        for _ in range(CLIENTS):
            link = clients.enter_context(closing(connect(pair.primary.target)))
            threading.Thread(target=_sleep, args=(link,), daemon=True).start()
        yield


def _sleep(link) -> None:
    with suppress(Exception):
        ask.rows(link, "SELECT SLEEP(15)")


@contextmanager
def full_disk(pair: GuardedPair) -> Iterator[None]:
    """All but 300 MiB."""
    filler = pair.devices.data / "filler"
    with filler.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, shutil.disk_usage(filler).free - (300 << 20))
    yield
    filler.unlink()


@contextmanager
def slow_disk(pair: GuardedPair, flush_us: int = 40_000) -> Iterator[None]:
    pair.devices.charge()
    pair.devices.disks[0].storage(flush_us)
    yield
    pair.devices.disks[0].storage(0)


@dataclass(frozen=True)
class Trouble:
    """`limits` of the plan that `begin` passes; `says`: the beginning of the reason."""

    limits: dict[str, float]
    begin: Callable[[GuardedPair], AbstractContextManager[None]]
    says: str


P99 = "p99 of the probe's commits "
TROUBLES = {
    "lag": Trouble({"max_lag_s": 2}, locked_replica, "replica lag of "),
    "applier": Trouble({"max_lag_s": 20}, stopped_applier, "replica lag of "),
    "threads": Trouble({"max_threads_running": 6}, other_clients, "running threads of other clients was "),
    "disk": Trouble({"min_free_gb": 0.4}, full_disk, "free disk space of "),
    "p99": Trouble({"max_p99_ms": 30}, slow_disk, P99),
    "p99, slower than a busy machine": Trouble({"max_p99_ms": 400}, partial(slow_disk, flush_us=600_000), P99),
}


def planned(server: Server, seconds: int = 60, *, workers: int = 1, **limits: float) -> Experiment:
    """Limits that are not named are far away. The settings are no default, and each commit is flushed: so the replica
    keeps up."""
    answered = server.last_answer
    flushing = "3" if answered and answered.facts["flavour"] == "mariadb" else "2"
    settings = {"innodb_flush_log_at_trx_commit": flushing, "sync_binlog": "1"}
    plan = Plan(
        name="guarded",
        targets=tuple(actions.targets([server])),
        variants=(Variant("v", settings),),
        workloads=(WorkloadChoice("update", "update-by-key", {}),),
        threads=(2,),
        repeats=1,
        warmup_s=0,
        measure_s=seconds,
        table_rows=100,
        seed=1,
        crash=CrashPlan(),
        load_workers=workers,
    )
    return actions.create(replace(plan, **(FAR | limits)), None)


class Run:
    """An experiment that runs in a thread. `until_it_measures` comes before the trouble."""

    def __init__(self, experiment: Experiment, worker: Worker) -> None:
        self.experiment = experiment
        self._thread = threading.Thread(target=self._conduct, args=(worker,))
        self._thread.start()

    def _conduct(self, worker: Worker) -> None:
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


def restored_after_s(experiment: Experiment) -> dict[str, float]:
    """Seconds from the decision until each change was restored."""
    trip = seen(experiment).trip
    assert trip, experiment.error
    rows = PendingRestore.objects.filter(experiment=experiment)
    return {row.kind + " " + row.name: row.restored_at.timestamp() - trip.at for row in rows if row.restored_at}
