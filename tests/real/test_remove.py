"""`manage.py remove`: the data of an installation, and nothing else."""

import os
import subprocess
import sys

import pytest

from dashboard.installation.home import PROJECT
from dashboard.local.claim import claimed


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

    run.home, run.sandboxes = home, sandboxes
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
    (call.home / "thesis.odt").write_text("years of work")
    _, said, status = call("remove", "--yes")
    assert status == 2 and "holds other things than Durascope's: thesis.odt" in said
    assert (call.home / "thesis.odt").read_text() == "years of work"


def test_remove_is_refused_while_the_program_runs(call):
    """That a running program claims its home: test_local_stack.py."""
    call.home.mkdir()
    with claimed(call.home):
        _, said, status = call("remove", "--yes")
    assert status == 2 and "already runs" in said and (call.home / "secret_key").is_file()
