"""`manage.py backup` and `manage.py restore`, on SQLite and PostgreSQL: the content is the same, and a restore that
fails changes nothing. tests/unit/test_backup_files.py has more files that are refused.

To start a program costs seconds: one process gives several commands."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from dashboard.installation.home import PROJECT
from tests import migrated
from tests.real.local_home import environment
from tests.real.parts import LIMIT_S

PASSPHRASE, ANOTHER = "correct horse battery", "another passphrase"
RECIPE = 'title = "mine"\n'
COMMANDS = """
import io, json, pathlib, sqlite3
import psycopg
from django.apps import apps
from django.core.management import call_command
from django.db import connection
from tests.upgrades.filled import content, fill
from tests.upgrades.newer import upgraded_by

def said(*words):
    connection.close()
    apps.get_app_config("fleet").ready()  # as at the start of a process: a newer database is refused
    out = io.StringIO()
    try:
        call_command(*words, stdout=out, stderr=out)
    except SystemExit as ended:
        out.write(f"status {ended.code}")
    print(json.dumps(out.getvalue()))

"""


class Installation:
    def __init__(self, home: Path, url: str) -> None:
        self.home, self.url = home, url
        known = {
            key: value for key, value in environment(home).items() if not key.startswith(("DATABASE_", "DURASCOPE_S"))
        }
        self.environment = {**known, **({"DATABASE_URL": url} if url else {}), "PYTHONPATH": str(PROJECT)}

    def run(self, code: str, status: int = 0) -> list[object]:
        """What each line of the code prints."""
        argv = [sys.executable, "-W", "ignore", "manage.py", "shell", "-v", "0", "-c", COMMANDS + code]
        done = subprocess.run(argv, cwd=PROJECT, env=self.environment, capture_output=True, text=True, timeout=LIMIT_S)
        assert done.returncode == status, done.stderr
        assert PASSPHRASE not in done.stdout + done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    def command(self, *words: object) -> str:
        """What one command says."""
        argv = [sys.executable, "manage.py", *map(str, words)]
        done = subprocess.run(argv, cwd=PROJECT, env=self.environment, capture_output=True, text=True, timeout=LIMIT_S)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def used(self, code: str) -> str:
        """That code while another connection is open, as another program would have it."""
        opened = f"psycopg.connect({self.url!r}, application_name='durascope', autocommit=True)"
        if not self.url:
            opened = f"sqlite3.connect({str(self.home / 'durascope.sqlite3')!r})"
        return f"other = {opened}\nother.execute('SELECT count(*) FROM auth_user').fetchall()\n{code}\nother.close()\n"


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def urls(request) -> Iterator[list[str]]:
    """Of two databases, the first one migrated; empty: SQLite."""
    if request.param == "sqlite":
        yield ["", ""]
        return
    server = migrated.private_postgresql()
    server.make("second")
    yield [server.url(name) for name in (migrated.NAME, "second")]
    server.stop()
    shutil.rmtree(server.folder)


@pytest.fixture(scope="module")
def filled(urls, tmp_path_factory) -> Installation:
    made = Installation(tmp_path_factory.mktemp("filled#1?"), urls[0])
    if not made.url:
        migrated.sqlite(made.home / "durascope.sqlite3")
    (made.home / "recipes").mkdir()
    (made.home / "recipes/mine.toml").write_text(RECIPE)
    return made


@pytest.fixture(scope="module")
def other(urls, tmp_path_factory) -> Installation:
    return Installation(tmp_path_factory.mktemp("other"), urls[1])


@pytest.fixture(scope="module")
def passphrase(tmp_path_factory) -> dict[str, str]:
    """Files with a right and a wrong one."""
    folder = tmp_path_factory.mktemp("passphrases")
    for name in (PASSPHRASE, ANOTHER):
        (folder / name).write_text(f"{name}\n")
        (folder / name).chmod(0o600)
    return {name: f"'--passphrase-file', {str(folder / name)!r}" for name in (PASSPHRASE, ANOTHER)}


@pytest.fixture(scope="module")
def kept(filled, passphrase) -> tuple[Path, list[str], dict[str, object]]:
    """A backup, the tokens of its links, and the content when it was made."""
    file = filled.home / "backup"
    tokens, before, made, again = filled.run(
        "tokens = fill(); print(); content(tokens); print()\n"
        f"said('backup', {str(file)!r}, {passphrase[PASSPHRASE]})\n"
        f"said('backup', {str(file)!r}, '--without-keys')\n"
    )
    assert "encrypted by the passphrase" in made and file.stat().st_mode & 0o777 == 0o600
    assert "is there already" in again and again.endswith("status 2")
    return file, tokens, before


def test_no_key_and_no_password_stands_in_the_file(filled, kept):
    with zipfile.ZipFile(kept[0]) as archive:
        everything = b"".join(archive.read(name) for name in archive.namelist())
    [key] = (filled.home / "password_keys").read_bytes().split()
    for secret in (key, b"p@ss", PASSPHRASE.encode()):
        assert secret not in everything


def without_states(content):
    """An interrupted experiment and cell have another state."""
    names = [(name, finding) for name, _, finding in content["experiments"]]
    return {**{key: value for key, value in content.items() if key not in ("experiments", "cells")}, "names": names}


@dataclass(frozen=True)
class Restored:
    """What each restore said, and the content after it."""

    first: str
    after_first: dict[str, object]
    second: str
    after_second: dict[str, object]
    refused: list[str]
    after_refusals: dict[str, object]


@pytest.fixture(scope="module")
def restored(kept, other, passphrase) -> Restored:
    """Another installation restores the backup and loses a table: its backup of that lacks it. Then a newer version
    migrates the database, and the old program restores the backup from before the upgrade. At the end it refuses."""
    file, tokens, _ = kept
    right, wrong = passphrase[PASSPHRASE], passphrase[ANOTHER]
    restore = f"'restore', {str(file)!r}, {right}"
    used = other.used(f"said({restore}, '--overwrite')")
    lacking, cut = other.home / "lacking", other.home / "cut"
    cut.write_bytes(file.read_bytes()[:-100])
    first, after_first, _, second, after_second, *refused, after_refusals = other.run(
        f"said({restore})\ncontent({tokens}); print()\n"
        f"connection.cursor().execute('DROP TABLE fleet_installation')\n"
        f"said('backup', {str(lacking)!r}, '--without-keys')\n"
        f"upgraded_by('77.1.0')\n"
        f"said({restore}, '--overwrite')\ncontent({tokens}); print()\n"
        f"keys = pathlib.Path({str(other.home / 'password_keys')!r}).read_bytes()\n"
        f"{used}"
        f"said({restore})\n"
        f"said('restore', {str(cut)!r}, {right}, '--overwrite')\n"
        f"said('restore', {str(file)!r}, {wrong}, '--overwrite')\n"
        f"said('restore', {str(lacking)!r}, '--overwrite')\n"
        f"assert pathlib.Path({str(other.home / 'password_keys')!r}).read_bytes() == keys\n"
        f"content({tokens})"
    )
    return Restored(first, after_first, second, after_second, refused, after_refusals)


def test_another_installation_becomes_the_same(filled, kept, other, restored):
    before = kept[2]
    assert without_states(restored.after_second) == without_states(before) and "Held." in restored.second
    first, after = restored.first, restored.after_first
    assert "Interrupted experiments: 1. Everybody must log in again." in first and "No key opens" not in first
    assert "pending restore on db7 in rack 3: global variable sync_binlog 1" in first
    assert [state for _, state, _ in after["experiments"]] == ["done", "done", "interrupted"]
    assert without_states(after) == without_states(before)
    assert (filled.home / "password_keys").read_bytes().split()[0] in (other.home / "password_keys").read_bytes()
    assert (other.home / "recipes/mine.toml").read_text() == RECIPE


def test_a_restore_that_fails_changes_nothing(other, restored):
    told = ("Stop the web server", "This installation has data", "no whole backup", "does not open the keys",
            "fleet_installation")  # fmt: skip
    for words, sentence in zip(told, restored.refused, strict=True):
        assert words in sentence and sentence.endswith("status 2"), sentence
    assert restored.after_refusals == restored.after_second
    assert not list(other.home.glob(".backup-*"))


def test_a_restore_that_was_killed_has_changed_nothing(kept, other, restored, passphrase):
    """Old tables that a killed restore of an earlier version left on PostgreSQL go with the next restore."""
    file, tokens, _ = kept
    restore = f"said('restore', {str(file)!r}, {passphrase[PASSPHRASE]}, '--overwrite')\n"
    killed = "import os\nfrom dashboard.backup import actions\nactions._settle = lambda *_: os.kill(os.getpid(), 9)\n"
    other.run(killed + restore, status=-9)
    left = "connection.cursor().execute('CREATE SCHEMA durascope_before_restore')\n" if other.url else ""
    before, again, after = other.run(f"content({tokens}); print()\n{left}{restore}content({tokens}); print()\n")
    assert before == after == restored.after_second and "Restored the backup" in again


MEANWHILE = """
from dashboard.backup import actions
settle, sessions = actions._settle, []

def meanwhile(*known):
    sessions.append(psycopg.connect(URL, application_name='durascope', autocommit=True))
    print(json.dumps(sessions[0].execute('SELECT name FROM auth_group').fetchall()))
    sessions[0].execute("INSERT INTO auth_group (name) VALUES ('written meanwhile')")
    return settle(*known)

connection.cursor().execute("INSERT INTO auth_group (name) VALUES ('after the backup')")
actions._settle = meanwhile
"""


def test_whoever_comes_during_a_restore_sees_the_old_tables_and_no_restore_ends(kept, other, restored, passphrase):
    """On PostgreSQL. What was written meanwhile stays."""
    if not other.url:
        pytest.skip("of PostgreSQL: SQLite's restored file takes the place of the other while that is locked")
    restore = f"said('restore', {str(kept[0])!r}, {passphrase[PASSPHRASE]}, '--overwrite')\n"
    names = "print(json.dumps(sorted(sessions[0].execute('SELECT name FROM auth_group').fetchall())))\n"
    end = "sessions[0].close(); actions._settle = settle\n"
    seen, refused, there, again = other.run(f"URL = {other.url!r}\n{MEANWHILE}{restore}{names}{end}{restore}")
    assert seen == [["after the backup"]] and there == [["after the backup"], ["written meanwhile"]]
    assert "Other programs use the database (1 connections)" in refused and refused.endswith("status 2")
    assert "The old tables were removed." in again


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has files that another user cannot read")
def test_root_backs_up_and_restores_the_installation_of_another_user(urls, passphrase):
    """Into a folder of root, with a passphrase of root. Each file keeps its owner."""
    if urls[0]:
        pytest.skip("SQLite's file is the one that could change its owner")
    with tempfile.TemporaryDirectory(dir="/var/tmp") as short, tempfile.TemporaryDirectory() as of_root:
        made = Installation(Path(short) / "home", "")
        made.home.mkdir()
        Path(short).chmod(0o755)
        migrated.sqlite(made.home / "durascope.sqlite3")
        made.run("fill()")
        for path in (made.home, *made.home.rglob("*")):
            shutil.chown(path, "nobody", "nogroup")
        file = Path(of_root) / "backup"
        assert "encrypted by the passphrase" in made.command("backup", file, *passphrase[PASSPHRASE].split("'")[1::2])
        assert (file.stat().st_uid, file.stat().st_mode & 0o777) == (0, 0o600)
        (made.home / "password_keys").unlink()
        restored = made.command("restore", file, "--overwrite", *passphrase[PASSPHRASE].split("'")[1::2])
        assert "Restored the backup" in restored and "No key opens" not in restored
        owners = {path.owner() for path in (made.home, *made.home.rglob("*"))}
        assert owners == {"nobody"} and (made.home / "password_keys").exists()


def test_the_database_of_before_an_upgrade_is_put_back(urls, tmp_path):
    """A migration that was stored is taken back with what came after it; without one there is nothing to do."""
    made = Installation(tmp_path / "home", urls[0])
    made.home.mkdir()
    if not made.url:
        migrated.sqlite(made.home / "durascope.sqlite3")
    file = made.home / "before"
    taken, unchanged, put_back, again = made.run(
        f"said('snapshot', {str(file)!r})\n"
        "from django.contrib.auth.models import User\n"
        "User.objects.create(username='before')\n"
        f"said('snapshot', {str(file)!r}, '--put-back')\n"
        "assert User.objects.filter(username='before').exists()\n"
        f"call_command('snapshot', {str(file)!r}, stdout=io.StringIO())\n"
        "upgraded_by('77.1.0')\n"
        "User.objects.create(username='after')\n"
        f"said('snapshot', {str(file)!r}, '--put-back')\n"
        "assert set(User.objects.values_list('username', flat=True)) >= {'before'}\n"
        "assert not User.objects.filter(username='after').exists()\n"
        f"said('snapshot', {str(file)!r}, '--put-back')\n"
    )
    assert "The database is kept in" in taken
    assert unchanged == again == "No step of the upgrade was stored in the database. It is as it was.\n"
    assert "The database of before the upgrade was put back" in put_back
