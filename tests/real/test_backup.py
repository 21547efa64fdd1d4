"""`manage.py backup` and `manage.py restore`, on SQLite and PostgreSQL: the content is the same, and a file that is not
whole changes nothing."""

import json
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography.fernet import Fernet

from dashboard.installation.home import PROJECT
from tests import postgresql
from tests.real.local_home import environment
from tests.real.parts import LIMIT_S

PASSPHRASE = "correct horse battery"
MODULE = "from tests.upgrades.filled import fill, content; "
RECIPE = 'title = "mine"\n'


class Installation:
    def __init__(self, home: Path, database: dict[str, str]) -> None:
        self.home = home
        known = {
            key: value for key, value in environment(home).items() if key not in ("DATABASE_URL", "DURASCOPE_SQLITE")
        }
        self.environment = {**known, **database, "PYTHONPATH": str(PROJECT)}
        self.passphrase = home / "passphrase"
        self.passphrase.write_text(f"{PASSPHRASE}\n")
        self.passphrase.chmod(0o600)

    def manage(self, *words: str, status: int = 0) -> str:
        argv = [sys.executable, "-W", "ignore", "manage.py", *words]
        done = subprocess.run(
            argv, cwd=PROJECT, env=self.environment, capture_output=True, text=True, timeout=LIMIT_S,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert done.returncode == status, done.stdout + done.stderr
        assert PASSPHRASE not in done.stdout + done.stderr
        return done.stdout + done.stderr

    def shell(self, code: str) -> str:
        return self.manage("shell", "-v", "0", "-c", MODULE + code)

    def restore(self, file: Path, *words: str, status: int = 0) -> str:
        return self.manage("restore", str(file), "--passphrase-file", str(self.passphrase), *words, status=status)

    def content(self, tokens: object) -> dict[str, object]:
        return json.loads(self.shell(f"content({json.dumps(tokens)})"))


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def databases(request) -> Iterator[list[dict[str, str]]]:
    """The addresses of two databases."""
    if request.param == "sqlite":
        yield [{}, {}]
        return
    server = postgresql.private()
    for name in ("first", "second"):
        server.make(name)
    yield [{"DATABASE_URL": server.url(name)} for name in ("first", "second")]
    server.stop()


@pytest.fixture(scope="module")
def filled(databases, tmp_path_factory) -> Installation:
    made = Installation(tmp_path_factory.mktemp("filled"), databases[0])
    (made.home / "recipes").mkdir()
    (made.home / "recipes/mine.toml").write_text(RECIPE)
    return made


@pytest.fixture(scope="module")
def kept(filled) -> tuple[Path, list[str], dict[str, object]]:
    """A backup, the tokens of its links, and the content when it was made."""
    tokens, before = filled.shell("tokens = fill(); print(); content(tokens)").splitlines()
    file = filled.home / "backup"
    said = filled.manage("backup", str(file), "--passphrase-file", str(filled.passphrase))
    assert "encrypted by the passphrase" in said and file.stat().st_mode & 0o777 == 0o600
    assert "is there already" in filled.manage("backup", str(file), "--without-keys", status=2)
    return file, json.loads(tokens), json.loads(before)


def test_no_key_and_no_password_stands_in_the_file(filled, kept):
    with zipfile.ZipFile(kept[0]) as archive:
        everything = b"".join(archive.read(name) for name in archive.namelist())
    for key in (filled.home / "password_keys").read_bytes().split():
        assert key not in everything and Fernet(key)
    assert b"p@ss" not in everything and PASSPHRASE.encode() not in everything


@pytest.fixture(scope="module")
def other(databases, tmp_path_factory) -> Installation:
    return Installation(tmp_path_factory.mktemp("other"), databases[1])


def test_another_installation_becomes_the_same(kept, other):
    file, tokens, before = kept
    said = other.restore(file)
    assert "Interrupted experiments: 1. Everybody must log in again." in said
    assert "pending restore on db7 in rack 3: global variable sync_binlog 1" in said and "No key opens" not in said
    after = other.content(tokens)
    assert [state for _, state, _ in after["experiments"]] == ["done", "done", "interrupted"]
    assert _without_states(after) == _without_states(before)
    assert (other.home / "recipes/mine.toml").read_text() == RECIPE
    assert "No key opens" not in other.restore(file, "--overwrite"), "a second time, over the first"
    assert _without_states(other.content(tokens)) == _without_states(before)


def _without_states(content):
    known = ("experiments", "cells")
    names = [(name, finding) for name, _, finding in content["experiments"]]
    return {**{key: value for key, value in content.items() if key not in known}, "names": names}


def test_a_refused_restore_changes_nothing(filled, kept, tmp_path):
    """tests/unit/test_backup_files.py has more files that are refused."""
    file, tokens, before = kept
    assert "This installation has data" in filled.restore(file, status=2)
    cut = tmp_path / "cut"
    cut.write_bytes(file.read_bytes()[:-100])
    assert "no whole backup" in filled.restore(cut, "--overwrite", status=2)
    filled.passphrase.write_text("another passphrase\n")
    assert "does not open the keys" in filled.restore(file, "--overwrite", status=2)
    filled.passphrase.write_text(f"{PASSPHRASE}\n")
    assert filled.content(tokens) == before
    assert not list(filled.home.glob(".backup-*"))


def test_a_database_that_is_in_use_is_left_alone(filled, kept):
    file, tokens, before = kept
    user = subprocess.Popen(
        [sys.executable, "manage.py", "shell", "-v", "0", "-c", "from django.db import connection\n"
         "connection.ensure_connection(); connection.introspection.table_names(); print('here', flush=True); input()"],
        cwd=PROJECT, env=filled.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    try:
        user.stdout.readline()
        assert "Stop the web server, beat and all workers" in filled.restore(file, "--overwrite", status=2)
    finally:
        user.communicate(b"\n", timeout=LIMIT_S)
    assert filled.content(tokens) == before


def test_an_error_in_the_middle_leaves_the_old_state(filled, kept, other, tmp_path):
    """The new tables are there already when the one that holds the database is missed."""
    other.restore(kept[0], "--overwrite")
    other.shell("from django.db import connection; connection.cursor().execute('DROP TABLE fleet_installation')")
    other.manage("backup", str(tmp_path / "lacking"), "--without-keys")
    keys = (filled.home / "password_keys").read_bytes()
    said = filled.restore(tmp_path / "lacking", "--overwrite", status=2)
    assert "fleet_installation" in said and "The old one is as it was." in said
    assert (filled.home / "password_keys").read_bytes() == keys
    assert filled.content(kept[1]) == kept[2]
    assert not list(filled.home.glob(".backup-*"))


def test_the_old_program_restores_the_backup_from_before_an_upgrade(kept, other):
    other.restore(kept[0], "--overwrite")
    other.shell("from tests.unit.fleet.test_newer_database import upgraded_by; upgraded_by('77.1.0')")
    assert "Install version 77.1.0" in other.manage("restored", status=2)
    assert "Held." in other.restore(kept[0], "--overwrite")
    assert _without_states(other.content(kept[1])) == _without_states(kept[2])
