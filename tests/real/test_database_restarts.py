"""PostgreSQL is restarted, and crashes, while a real worker measures on a real server: the worker connects again, and
nothing is lost or done twice."""

import shutil
import signal
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from cryptography.fernet import Fernet
from django.conf import settings

from dashboard.installation.home import PROJECT, redis_url
from dashboard.local import programs, redis
from dashboard.local.processes import Child, Program, tail
from tests import migrated
from tests.real.local_home import environment, eventually
from tests.real.slow import SLOW

START = """
from dataclasses import replace
from dashboard.records.experiments import actions
from dashboard.records.servers.models import Server
from workers.bench import recipes
server = Server.objects.create(name="Sandbox", kind="sandbox", build="system-mariadb")
said = {{"threads": "1", "repeats": "1", "warmup_s": "0", "measure_s": "4", "table_rows": "500", "trials": "0"}}
plan = actions.plan_recipe(recipes.load("what-does-safety-cost"), [server], said)
slow = [replace(one, settings={{**one.settings, **{slow}}}) for one in plan.variants]
experiment = actions.create(replace(plan, variants=tuple(slow)), None)
actions.notify_workers(experiment.pk)
print(experiment.pk)
"""


class Lab:
    """A PostgreSQL, a Redis and a worker of its own; `parts` ends them, whatever of them was started."""

    def __init__(self, home: Path, sandboxes: Path, parts: ExitStack) -> None:
        self.pg = migrated.stopped_postgresql()
        parts.callback(shutil.rmtree, self.pg.folder)
        parts.callback(self.pg.stop)
        self._start()
        own = {"DATABASE_URL": self.pg.url(migrated.NAME), "DURASCOPE_REDIS": redis_url()}
        own |= {"DURASCOPE_PASSWORD_KEYS": Fernet.generate_key().decode()}
        own |= {"DURASCOPE_SANDBOXES": str(sandboxes), "DJANGO_SETTINGS_MODULE": "dashboard.settings"}
        self._env = {**environment(home), **own}
        self._run(redis.program(settings.HOME), parts)
        program = programs.worker(home)
        self.log = program.log
        self._run(replace(program, env={**program.env, **self._env, "PYTHONPATH": str(PROJECT)}), parts)

    @staticmethod
    def _run(program: Program, parts: ExitStack) -> None:
        child = Child(program)
        parts.callback(child.stop)
        child.wait_until_ready()

    def _start(self) -> None:
        self.pg.start(synchronous_commit="on")  # what was answered survives a crash of the server

    def manage(self, *words: str) -> str:
        argv = [sys.executable, "manage.py", *words]
        return subprocess.run(argv, cwd=PROJECT, env=self._env, check=True, text=True, stdout=subprocess.PIPE).stdout

    def restart(self, how: signal.Signals) -> None:
        """It stays away until the worker has missed it, which is sooner than a worker may be silent."""
        missed = self._missed()
        self.pg.stop(how)
        assert eventually(lambda: self._missed() > missed), f"nobody missed it\n{tail(self.log, 40)}"
        self._start()

    def _missed(self) -> int:
        said = self.log.read_text()
        return said.count("the database did not take") + said.count("error connecting in")

    def ask(self, question: str) -> list[tuple]:
        with psycopg.connect(self.pg.url(migrated.NAME)) as link:
            return link.execute(question).fetchall()

    def until(self, question: str, answer: tuple) -> None:
        found = eventually(lambda: self.ask(question) == [answer])
        assert found, f"{question}: {self.ask(question)}\n{tail(self.log, 40)}"


@pytest.fixture
def lab(tmp_path, sandbox_root):
    with ExitStack() as parts:
        yield Lab(tmp_path, sandbox_root, parts)


def test_a_worker_goes_on_measuring(lab):
    measuring = "SELECT count(*) > 0 FROM experiments_experiment WHERE activity LIKE '%measuring%'"
    done = "SELECT count(*) FROM experiments_cell WHERE state = 'done'"
    lab.manage("shell", "--verbosity", "0", "--command", START.format(slow=SLOW))
    lab.until(measuring, (True,))
    lab.restart(signal.SIGINT)
    lab.until("SELECT count(*) >= 2 FROM experiments_cell WHERE state = 'done'", (True,))
    lab.restart(signal.SIGQUIT)
    lab.until("SELECT state, error FROM experiments_experiment", ("done", ""))
    assert lab.ask(done) == [(4,)] and lab.ask("SELECT count(*) FROM experiments_run") == [(4,)]
    assert lab.ask("SELECT count(*) FROM holds_hostlease") == [(0,)]
    assert lab.ask("SELECT count(*) FROM experiments_probe") == [(1,)]
    lab.until("SELECT finding <> '' FROM experiments_experiment", (True,))
