"""Checks of deploy/install.sh that need no Debian of their own."""

import subprocess

import pytest

from dashboard.installation.home import PROJECT

CHECK = """
refuse() { printf '%s\\n' "$@"; exit 2; }
source deploy/install/checks.sh
SOURCE=$1 PROGRAM=$2
check_age
"""


def tree(folder, *migrations):
    for name in migrations:
        file = folder / "dashboard/records/servers/migrations" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    return folder


@pytest.mark.parametrize(
    ("source", "installed", "status"),
    [
        (("0001_tables.py", "0002_more.py"), ("0001_tables.py",), 0),
        (("0001_tables.py",), ("0001_tables.py",), 0),
        (("0001_tables.py",), ("0001_tables.py", "0002_more.py"), 2),
        (("0001_tables.py",), (), 0),  # the first installation
    ],
)
def test_an_older_program_is_refused_before_a_service_stops(tmp_path, source, installed, status):
    source, installed = tree(tmp_path / "source", *source), tree(tmp_path / "installed", *installed)
    argv = ["bash", "-euo", "pipefail", "-c", CHECK, "bash", source, installed]
    done = subprocess.run(argv, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (status, "")
    assert ("migrations/0002_more.py" in done.stdout) == (status == 2)
