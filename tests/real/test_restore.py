"""A restore: an installation that is in use is backed up, goes on, is killed, and comes back as it was at the
backup. It touches no server before a person releases it."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dashboard.installation.home import PROJECT
from tests import migrated

LIMIT_S = 120


class Place:
    """A home, and who uses it."""

    def __init__(self, folder: Path, **database: str) -> None:
        apart = ("DURASCOPE_", "DJANGO_", "DATABASE_URL")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(apart)}
        self.home, self.kept, self.away = folder / "home", folder / "kept", folder / "else"
        for made in (self.home, self.kept, self.away):
            made.mkdir(mode=0o700)
        self.server = folder / "server.sock"
        home = {"DURASCOPE_HOME": str(self.home), "DURASCOPE_SANDBOXES": str(folder / "none")}
        self.environment = {**kept, **home, **database}

    def process(self, *words: str | Path) -> subprocess.Popen:
        argv = [sys.executable, "-m", "tests.real.restoring", *map(str, words)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen(argv, env=self.environment, cwd=PROJECT, text=True, **pipes)

    def manage(self, *words: str | Path) -> None:
        argv = [sys.executable, "manage.py", *map(str, words)]
        done = subprocess.run(argv, env=self.environment, cwd=PROJECT, capture_output=True, text=True, timeout=LIMIT_S)
        assert done.returncode == 0, done.stdout + done.stderr

    def keep_keys(self) -> Path:
        return Path(shutil.copy(self.home / "password_keys", self.kept / "password_keys"))

    def restore_and_look(self, backup: Path) -> dict:
        process = self.process("look", backup, self.kept / "password_keys")
        out, said = process.communicate(timeout=LIMIT_S)
        assert process.returncode == 0, said
        return json.loads(out.splitlines()[-1])


@pytest.fixture
def in_use():
    """Starts an installation that is in use when it is backed up, changes afterwards and is killed."""
    started = []

    def use(place: Place, back_up) -> None:
        process = place.process("fill", place.server)
        started.append(process)
        _heard(process, "filled")
        back_up()
        place.keep_keys()
        process.stdin.write("go on\n")
        process.stdin.flush()
        _heard(process, "changed")
        process.kill()
        process.wait()

    yield use
    for process in started:
        process.kill()
        process.communicate()


def _heard(process: subprocess.Popen, word: str) -> None:
    heard = process.stdout.readline().strip()
    assert heard == word, process.communicate(timeout=LIMIT_S)[1]


def must_be_the_backup_and_wait_for_a_person(told: dict) -> None:
    assert told["server"] == "db1", "as it was at the backup"
    assert "was sealed under a key that this installation no longer has" in told["other keys"]
    assert "enter its password again, or put the old key back" in told["other keys"]
    assert told["password"] == "the server's password"
    assert told["restored"] == [
        "Held. Nothing is done to any server until: manage.py restored --release",
        "pending restore on db1: global variable sync_binlog 1",
        "schedule: nightly",
        "experiment 2, queued: on db1",
    ]
    assert told["held"] == {"touched": 0, "nights": 0, "began": 0}
    assert told["release"] == ["Released. Workers continue with this work:", *told["restored"][1:]]
    released = told["released"]
    assert released["touched"] and released["nights"] and released["began"], released


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request, open_path):
    if request.param == "sqlite":
        place = Place(open_path)
        migrated.sqlite(place.home / "durascope.sqlite3")
        yield place
        return
    pg = migrated.private_postgresql()
    yield Place(open_path, DATABASE_URL=pg.url(migrated.NAME))
    pg.stop()
    shutil.rmtree(pg.folder)


def test_a_restored_installation_is_as_it_was_and_waits_for_a_person(in_use, place):
    backup = place.kept / "backup"
    in_use(place, lambda: place.manage("backup", backup, "--without-keys"))
    told = place.restore_and_look(backup)
    assert told["held by itself"]
    must_be_the_backup_and_wait_for_a_person(told)
