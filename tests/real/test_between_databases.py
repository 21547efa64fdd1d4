"""An experiment that was really measured, carried from an installation on SQLite to one on PostgreSQL and from there to
another on SQLite: readers see the same charts, claims and verdicts everywhere."""

import json
import os
import shutil
import subprocess
import sys
from contextlib import contextmanager

import pytest

from dashboard.installation.home import PROJECT
from dashboard.portable import shape
from tests import migrated
from tests.unit.portable import files

PLAN = {"threads": "1", "repeats": "1", "warmup_s": "0", "measure_s": "1", "table_rows": "500"}
CRASHES = {"kinds": "process-kill", "trials": "1", "control_trials": "0", "clients": "2", "load_s": "1"}
NO_IMPORTS = ("shell", "--no-imports", "--verbosity", "0", "-c")
SANDBOX = """
from dashboard.records.servers.models import Server
Server.objects.create(name="box", kind="sandbox", build="system-mariadb")
"""
COMMAND = """
from django.core.management import call_command
try:
    call_command(*{words!r})
except SystemExit as ended:
    assert not ended.code, ended.code
"""
SHOWN = """
import json
from django.core.serializers.json import DjangoJSONEncoder
from dashboard.findings import conclusion
from dashboard.records.experiments.models import Experiment
from dashboard.pages.results import page
from dashboard.charts.registry import CHARTS, draw
from dashboard.findings.claims.in_words import claim_lines
one = Experiment.objects.get()
view = page.shown_to(one, {}, shared=True)
told = {
    "finding": conclusion.sentences(one),
    "claims": claim_lines(one),
    "verdicts": list(one.trials.order_by("position").values_list("variant", "kind", "verdict", "acknowledged")),
    "charts": {key: draw(key, view).payload() for key in CHARTS},
}
print(json.dumps(told, cls=DjangoJSONEncoder, sort_keys=True))
"""


def command(*words):
    """Of the command line, in a process that has loaded Django already."""
    return COMMAND.format(words=words)


def export(file):
    return command("experiment", "export", "1", file)


def load(file):
    return command("experiment", "import", file)


class Installation:
    """A home and a database of its own. One process does everything in it: to load Django takes a second."""

    def __init__(self, home, database):
        home.mkdir()
        apart = ("DURASCOPE_", "DJANGO_", "DATABASE_URL")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(apart)}
        self._env = {**kept, **database, "DURASCOPE_HOME": str(home), "DURASCOPE_SANDBOXES": str(home / "sandboxes")}

    def shown(self, *scripts):
        """What readers see of the one experiment, after these scripts on a database without content."""
        program = "".join([*scripts, SHOWN])
        argv = [sys.executable, "manage.py", *NO_IMPORTS, program]
        done = subprocess.run(argv, cwd=PROJECT, env=self._env, text=True, capture_output=True)
        assert done.returncode == 0, f"{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
        return json.loads(done.stdout.splitlines()[-1])


@contextmanager
def on_postgresql(home):
    pg = migrated.private_postgresql()
    try:
        yield Installation(home, {"DATABASE_URL": pg.url(migrated.NAME)})
    finally:
        pg.stop()
        shutil.rmtree(pg.folder)


def on_sqlite(home):
    made = Installation(home, {})
    migrated.sqlite(home / "durascope.sqlite3")
    return made


@pytest.fixture(scope="module")
def home(sandbox_root):
    """Where sandboxes can be, on a short path."""
    folder = sandbox_root / "between"
    folder.mkdir()
    return folder


def test_readers_see_the_same_on_every_database(home, tmp_path):
    changes = [word for name, value in (PLAN | CRASHES).items() for word in ("--set", f"{name}={value}")]
    measure = command("experiment", "run", "what-does-safety-cost", "--server", "box", *changes)
    one, two, three = (str(tmp_path / f"{name}.zip") for name in ("one", "two", "three"))
    shown = on_sqlite(home / "one").shown(SANDBOX, measure, export(one))
    assert shown["finding"] and shown["claims"] and shown["verdicts"]
    assert shown["charts"]["throughput"]["series"] and shown["charts"]["seconds"]["series"]

    with on_postgresql(home / "two") as other:
        assert other.shown(load(one), export(two)) == shown
    back = on_sqlite(home / "three")
    assert back.shown(load(two), export(three)) == shown
    first, *others = (parts_of(tmp_path / f"{name}.zip") for name in ("one", "two", "three"))
    assert others == [first, first], "also what readers are not shown"


def parts_of(file):
    """But for when and where it was written."""
    found = files.unpacked(file.read_bytes())
    return {**found, shape.INDEX: files.without_marks(file.read_bytes())}
