"""`manage.py remove`: the data of an installation, and nothing else."""

import os
import subprocess
import sys

import pytest

from dashboard.installation.home import PROJECT
from dashboard.local.claim import claimed
from tests import migrated


@pytest.fixture
def call(tmp_path, open_path):
    """manage.py with a home and a folder of sandboxes of its own."""
    clean = {
        name: value for name, value in os.environ.items() if not name.startswith(("DURASCOPE_", "DATABASE", "DJANGO_"))
    }
    home, sandboxes = tmp_path / "home", open_path / "sandboxes"
    environment = {**clean, "DURASCOPE_HOME": str(home), "DURASCOPE_SANDBOXES": str(sandboxes)}

    def run(*arguments):
        argv = [sys.executable, "manage.py", *arguments]
        done = subprocess.run(argv, cwd=PROJECT, env=environment, capture_output=True, text=True, check=False)
        return done.stdout, done.stderr, done.returncode

    run.home, run.sandboxes, run.environment = home, sandboxes, environment
    return run


def test_only_named_then_removed(call):
    (call.sandboxes / "images").mkdir(parents=True)
    told, _, status = call("remove")
    assert status == 1 and f"would be removed: {call.home}\n" in told and call.home.is_dir()
    told, said, status = call("remove", "--yes")
    assert (said, status) == ("", 0) and f"removed: {call.sandboxes}" in told
    assert not call.home.exists() and not call.sandboxes.exists()


def test_remove_keeps_a_folder_that_holds_other_files(call):
    call.home.mkdir()
    (call.home / "recipes-of-my-grandmother").mkdir()
    others = "builds.txt", "durascope.sqlite3.mine", "thesis.odt"
    for name in others:
        (call.home / name).write_text("years of work")
    _, said, status = call("remove", "--yes")
    named = "builds.txt, durascope.sqlite3.mine, recipes-of-my-grandmother, thesis.odt"
    assert status == 2 and f"holds other things than Durascope's: {named}" in said
    assert {(call.home / name).read_text() for name in others} == {"years of work"}


def test_what_a_killed_command_left_is_removed(call):
    for name in (".backup-x1", ".room-0a1b", ".password_keys.77", "beat-schedule.db", "durascope.sqlite3-wal"):
        (call.home / name).mkdir(parents=True)
    (call.home / "durascope.sqlite3.before-20261127T211733").touch()
    assert call("remove", "--yes")[1:] == ("", 0) and not call.home.exists()


@pytest.mark.parametrize("place", ["elsewhere", "home"])
def test_a_database_of_another_name_is_removed_with_its_results(call, tmp_path, place):
    folder = tmp_path / place
    folder.mkdir()
    call.environment["DURASCOPE_SQLITE"] = str(folder / "mine[1].sqlite3")
    migrated.sqlite(folder / "mine[1].sqlite3")
    for name in ("mine[1].sqlite3-wal", "mine[1].sqlite3.before-20261127T211733"):
        (folder / name).touch()
    told, said, status = call("remove")
    assert (said, status) == ("", 1) and f"would be removed: {folder / 'mine[1].sqlite3'}\n" in told
    (tmp_path / "elsewhere").mkdir(exist_ok=True)
    (tmp_path / "elsewhere/mine1.sqlite3").touch()
    assert call("remove", "--yes")[1:] == ("", 0)
    assert not call.home.exists() and [one.name for one in (tmp_path / "elsewhere").iterdir()] == ["mine1.sqlite3"]


def test_remove_is_refused_while_the_program_runs(call):
    """That a running program claims its home: test_local_stack.py."""
    call.home.mkdir()
    with claimed(call.home):
        _, said, status = call("remove", "--yes")
    assert status == 2 and "already runs" in said and (call.home / "secret_key").is_file()
