"""Workers of two versions on one database and one Redis, as while an installation is upgraded: nothing is lost, and
nothing runs twice."""

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from dashboard.installation.home import PROJECT, redis_url
from dashboard.installation.version import VERSION
from dashboard.local import programs
from dashboard.local.processes import Child
from tests import migrated
from tests.real import newer_tree, parts
from tests.real.local_home import environment
from tests.real.parts import LIMIT_S, until
from tests.real.slow import SLOW

START = """
from dashboard.records.experiments import actions
from dashboard.records.servers.models import Server
from workers.bench.plan import Plan, PlanTarget, Variant, WorkloadChoice
server, _ = Server.objects.get_or_create(name="box", kind="sandbox", build="system-mariadb")
plan = Plan(
    name="rolling", targets=(PlanTarget(server.pk, server.name, True),), variants=(Variant("slow", {slow}),),
    workloads=(WorkloadChoice("u", "update-by-key", {{}}),), threads=(1,), warmup_s=0, table_rows=100, seed=1,
    measure_s={seconds}, repeats=2,
)
experiment = actions.create(plan, None)
actions.notify_workers(experiment.pk)
print(experiment.pk)
"""
OF_EXPERIMENT = "FROM experiments_experiment e LEFT JOIN fleet_worker w ON w.id = e.worker_id WHERE e.id = ?"


class Installation:
    """One home with its Redis, used by programs of two versions."""

    def __init__(self, home: Path, sandboxes: Path) -> None:
        self._home = home
        self._database = home / "durascope.sqlite3"
        self._environment = {
            **environment(home),
            "DJANGO_SETTINGS_MODULE": "dashboard.settings",
            "DURASCOPE_SQLITE": str(self._database),
            "DURASCOPE_SANDBOXES": str(sandboxes),
            "DURASCOPE_REDIS": redis_url(),
        }
        self._environment.pop("DATABASE_URL", None)
        migrated.sqlite(self._database)

    @contextmanager
    def worker(self, tree: Path) -> Iterator[Child]:
        known = programs.worker(self._home)
        child = Child(replace(known, cwd=tree, env=self._environment, log=self._home / f"worker-{tree.name}.log"))
        try:
            until(lambda: child.status is not None or self.ask("SELECT 1 FROM fleet_worker WHERE pid = ?", child.pid))
            yield child
        finally:
            child.stop()

    def manage(self, tree: Path, *words: str) -> str:
        argv = [sys.executable, "manage.py", *words]
        done = subprocess.run(argv, cwd=tree, env=self._environment, capture_output=True, text=True, timeout=LIMIT_S)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def start(self, tree: Path, seconds: int) -> int:
        return int(self.manage(tree, "shell", "-v", "0", "-c", START.format(slow=SLOW, seconds=seconds)))

    def ask(self, question: str, *values: object) -> list[tuple[object, ...]]:
        with closing(sqlite3.connect(self._database, timeout=60)) as database:
            return database.execute(question, values).fetchall()

    def experiment(self, pk: int) -> tuple[object, ...]:
        """State, activity, error and the version of its worker."""
        [row] = self.ask(f"SELECT e.state, e.activity, e.error, coalesce(w.version, '') {OF_EXPERIMENT}", pk)
        return row

    def runs(self, pk: int) -> tuple[object, ...]:
        """Of how many cells, and all."""
        [row] = self.ask(
            "SELECT count(DISTINCT cell_id), count(*) FROM experiments_run r "
            "JOIN experiments_cell c ON c.id = r.cell_id WHERE c.experiment_id = ?",
            pk,
        )
        return row


@pytest.fixture
def installation(tmp_path_factory, sandbox_root) -> Iterator[Installation]:
    with parts.redis_server():
        yield Installation(tmp_path_factory.mktemp("rolling"), sandbox_root)


def test_an_old_worker_ends_its_experiment_and_a_new_one_takes_the_next(installation, tmp_path):
    newer = newer_tree.make(tmp_path / "newer")
    with installation.worker(PROJECT) as old:
        first = installation.start(PROJECT, seconds=20)
        until(lambda: "measuring" in str(installation.experiment(first)[1]))
        installation.manage(newer, "migrate", "-v", "0", "--skip-checks")
        second = installation.start(newer, seconds=1)
        until(lambda: "older than the database" in str(installation.experiment(second)[1]))
        assert installation.experiment(second)[::2] == ("queued", "")
        with installation.worker(newer):
            until(lambda: installation.experiment(first)[0] not in ("queued", "running"))
            assert installation.experiment(first)[::3] == ("done", VERSION), installation.experiment(first)
            until(lambda: installation.experiment(second)[0] not in ("queued", "running"))
            assert installation.experiment(second)[::3] == ("done", newer_tree.VERSION), installation.experiment(second)
            assert old.status is None
    cells = installation.ask("SELECT experiment_id, state, error FROM experiments_cell")
    assert (installation.runs(first), installation.runs(second)) == ((2, 2), (2, 2)), cells
    assert installation.ask("SELECT version FROM fleet_upgrade ORDER BY id") == [(VERSION,), (newer_tree.VERSION,)]
    assert installation.ask("SELECT count(*) FROM holds_hostlease") == [(0,)]
    with installation.worker(PROJECT) as again:
        assert again.status == 2
        assert "Install version 77.1.0 on this host" in again.program.log.read_text()
