"""The package in a virtual environment of its own: installed by pip, measured and crashed with, and removed again."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from dashboard.installation.home import PROJECT
from dashboard.installation.version import VERSION

pytestmark = pytest.mark.skipif("DOORS" not in os.environ, reason="takes minutes: scripts/test doors")
SMALL = "threads=1 repeats=1 warmup_s=0 measure_s=1 trials=1 control_trials=0 kinds=process-kill".split()  # noqa: SIM905


@pytest.fixture(scope="module")
def place(tmp_path_factory, sandbox_root):
    """A home folder with nothing in it."""
    home = tmp_path_factory.mktemp("person")
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("DURASCOPE_", "DJANGO_", "PYTHON"))
    }
    kept |= {"HOME": str(home), "DURASCOPE_SANDBOXES": str(sandbox_root / "pip")}
    kept.pop("XDG_DATA_HOME", None)

    def call(*argv, allowed=(0,)):
        done = subprocess.run(argv, cwd=home, env=kept, capture_output=True, text=True, check=False)
        assert done.returncode in allowed, done.stderr
        return done.stdout

    call.home = home
    return call


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()}


def test_from_pip_to_a_crash_experiment_and_back_to_nothing(place, tmp_path):
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=PROJECT, check=True)
    (wheel,) = tmp_path.glob("*.whl")
    place(sys.executable, "-m", "venv", str(place.home / "own"))
    python, durascope = str(place.home / "own/bin/python"), str(place.home / "own/bin/durascope")
    place(python, "-m", "pip", "install", "-q", "--disable-pip-version-check", str(wheel))
    assert place(durascope, "--version") == f"durascope {VERSION}\n"
    place(durascope, "programs")
    place(durascope, "migrate", "--verbosity", "0")
    place(durascope, "server", "sandbox", "box")
    changes = [word for one in SMALL for word in ("--set", one)]
    run = (durascope, "experiment", "run", "what-does-safety-cost", "--server", "box", *changes, "--json")
    told = json.loads(place(*run, allowed=(0, 1)))
    assert {one["verdict"] for one in told["trials"]} <= {"valid", "invalid"} and len(told["trials"]) == 4
    assert told["runs"] and all(one["tps"] > 0 for one in told["runs"])

    assert "removed: " in place(durascope, "remove", "--yes")
    place(python, "-m", "pip", "uninstall", "-q", "-y", "durascope")
    assert not (place.home / "own/bin/durascope").exists()
    not_ours = ("own/", ".cache/pip/", ".rustup/")  # pip asks rustc for its version
    assert {name for name in files(place.home) if not name.startswith(not_ours)} == set()
