"""A restore, with the commands of docs/deployment.md: an installation that is in use is backed up, goes on, is killed,
and comes back as it was at the backup. The copy touches no server before a person releases it."""

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from dashboard.installation.home import PROJECT
from tests import postgresql

DOCUMENT = (PROJECT / "docs" / "deployment.md").read_text()
LIMIT_S = 120


def documented(begins: str) -> str:
    """The command that the document names."""
    return re.search(rf"{re.escape(begins)}[^`\n]*", DOCUMENT)[0].strip()


def shell(begins: str, environment: dict[str, str], **names: str | Path) -> None:
    """Run a command of the document with these names in it."""
    command = documented(begins)
    for name, here in names.items():
        assert name in command
        command = command.replace(name, str(here))
    done = subprocess.run(["bash", "-c", command], env=environment, cwd=PROJECT, capture_output=True, text=True)
    assert done.returncode == 0, f"{command}\n{done.stderr}"


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
        self.file = self.home / "durascope.sqlite3"

    def process(self, *words: str | Path) -> subprocess.Popen:
        argv = [sys.executable, "-m", "tests.real.restoring", *map(str, words)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen(argv, env=self.environment, cwd=PROJECT, text=True, **pipes)

    def keep_keys(self) -> Path:
        return Path(shutil.copy(self.home / "password_keys", self.kept / "password_keys"))

    def look(self) -> dict:
        process = self.process("look", self.kept / "password_keys")
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


def test_sqlite(in_use, open_path):
    place = Place(open_path)
    file, backup = place.file, place.kept / "backup"
    logs = [place.home / f"{file.name}-{ending}" for ending in ("wal", "shm")]

    def back_up():
        assert all(log.stat().st_size for log in logs), "the newest rows are not in the file yet"
        shell("sqlite3 FILE", place.environment, FILE=file, TO=backup)

    in_use(place, back_up)
    assert all(log.stat().st_size for log in logs)
    assert differs_beside_the_old_log(place, backup), "why all three are moved away"
    shell("mv FILE FILE.old", place.environment, FILE=file, **{"/somewhere/else": place.away})
    owner = {"-o durascope": f"-o {os.getuid()}"}
    shell("install -o", place.environment, BACKUP=backup, FILE=file, **owner)
    told = place.look()
    assert not told["held by itself"], "it is in the old one's place: that is why the document holds it by hand"
    must_be_the_backup_and_wait_for_a_person(told)


def differs_beside_the_old_log(place: Place, backup: Path) -> bool:
    """The backup as it would be read with the -wal of the old database beside it."""
    wrong = place.away / "wrong"
    shutil.copy(backup, wrong)
    shutil.copy(f"{place.file}-wal", f"{wrong}-wal")
    try:
        with closing(sqlite3.connect(wrong)) as link:
            name = link.execute("SELECT name FROM servers_server").fetchone()[0]
            return name != "db1" or link.execute("PRAGMA integrity_check").fetchone()[0] != "ok"
    except sqlite3.DatabaseError:
        return True


@pytest.fixture
def cluster():
    pg = postgresql.private()
    yield pg
    pg.stop()
    shutil.rmtree(pg.folder)


def test_postgresql(in_use, open_path, cluster):
    cluster.make("durascope")
    place = Place(open_path, DATABASE_URL=cluster.url("durascope"))
    backup, new = place.kept / "backup", cluster.url("durascope_new")
    programs = Path(postgresql.program("pg_restore")).parent
    there = {"PGHOST": str(cluster.folder), "PGUSER": postgresql.OWNER, "PATH": f"{programs}:{os.environ['PATH']}"}
    environment = {**place.environment, **there, "NEW_DATABASE_URL": new}
    dump = documented("pg_dump")

    def back_up():
        with backup.open("wb") as file:
            subprocess.run(["bash", "-c", dump], env=environment, stdout=file, check=True)

    in_use(place, back_up)
    shell("createdb --owner", environment)
    shell("pg_restore", environment, BACKUP=backup)
    place.environment["DATABASE_URL"] = new
    told = place.look()
    assert told["held by itself"], "it is another database"
    must_be_the_backup_and_wait_for_a_person(told)
