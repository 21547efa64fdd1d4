"""`--help` of each script: it prints, and installs and changes nothing."""

import os
import shutil
import subprocess

import pytest

from dashboard.installation.home import PROJECT

FILES = [path for path in (PROJECT / "scripts").iterdir() if path.is_file()]  # compiled files have a folder beside them
SCRIPTS = sorted(path.name for path in FILES if path.read_text().startswith("#!"))


@pytest.fixture
def clone(tmp_path):
    """With no .venv, on a machine whose apt-get and python3 write down their call."""
    shutil.copytree(PROJECT / "scripts", tmp_path / "clone/scripts")
    (tmp_path / "bin").mkdir()
    for name in ("apt-get", "sudo", "python3", "podman", "git"):
        (tmp_path / "bin" / name).write_text(f'#!/bin/sh\necho called >>"{tmp_path}/calls"\n')
        (tmp_path / "bin" / name).chmod(0o755)
    return tmp_path / "clone"


@pytest.mark.parametrize("asked", ["--help", "-h"])
@pytest.mark.parametrize("script", SCRIPTS)
def test_help_installs_and_changes_nothing(clone, script, asked):
    before = sorted(clone.rglob("*"))
    env = {**os.environ, "PATH": f"{clone.parent}/bin:{os.environ['PATH']}", "DURASCOPE_PYTHON": "python3"}
    done = subprocess.run([clone / "scripts" / script, asked], env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "") and len(done.stdout.split()) > 10
    assert "#" not in done.stdout.splitlines()[0] and "set -euo" not in done.stdout
    assert sorted(clone.rglob("*")) == before and not (clone.parent / "calls").exists()


def test_the_help_of_the_demo_names_the_options_of_readme():
    table = (PROJECT / "README.md").read_text().partition("| option |")[2].partition("\n\n")[0]
    named = {word.strip("`,") for word in table.split() if word.startswith(("`--", "--"))} - {"|---|---|"}
    help_text = (PROJECT / "scripts/demo").read_text()
    assert named and not [option for option in named if option.partition("=")[0] not in help_text]
