"""The package: built from this tree, and used outside of it."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from dashboard.installation.version import VERSION

PROJECT = Path(__file__).resolve().parents[2]
BUILD = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d"]


def built(tree, folder):
    subprocess.run([*BUILD, folder], cwd=tree, env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}, check=True)
    (wheel,) = Path(folder).glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """What a commit would hold."""
    copy = tmp_path_factory.mktemp("tree")
    known = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(known, cwd=PROJECT, capture_output=True, check=True).stdout.decode().split("\0")
    for name in filter(None, listed):
        if (PROJECT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(PROJECT / name, copy / name)
    return copy


@pytest.fixture(scope="module")
def wheel(tree, tmp_path_factory):
    return built(tree, tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def durascope(wheel, tmp_path_factory):
    """Calls the installed command from another folder, with a home of its own."""
    site, elsewhere = tmp_path_factory.mktemp("site"), tmp_path_factory.mktemp("elsewhere")
    zipfile.ZipFile(wheel).extractall(site)
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("DURASCOPE_", "DJANGO_"))},
        "PYTHONPATH": str(site), "XDG_DATA_HOME": str(elsewhere / "data"),
    }  # fmt: skip

    def call(*arguments):
        argv = [sys.executable, "-P", "-m", "durascope", *arguments]
        return subprocess.run(argv, cwd=elsewhere, env=environment, capture_output=True, text=True, check=False)

    call.home = elsewhere / "data/durascope"
    return call


def test_the_same_tree_gives_the_same_bytes(tree, wheel, tmp_path):
    assert built(tree, tmp_path).read_bytes() == wheel.read_bytes()


def test_the_package_takes_one_name_in_site_packages_and_holds_no_test_and_no_data(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names} == {"durascope", f"durascope-{VERSION}.dist-info"}
    inside = {name.split("/")[2] for name in names if name.startswith("durascope/tree/")}
    assert inside == {"dashboard", "docs", "manage.py", "pyproject.toml", "scripts", "static", "templates", "workers"}
    assert not [name for name in names if "__pycache__" in name or name.endswith((".sqlite3", ".pyc"))]
    tracked = {name.removeprefix("durascope/tree/") for name in names if name.startswith("durascope/tree/")}
    for folder in ("dashboard", "workers", "templates", "static"):
        ours = {str(path.relative_to(PROJECT)) for path in (PROJECT / folder).rglob("*") if path.is_file()}
        assert not {name for name in ours - tracked if "__pycache__" not in name}, folder


def test_the_package_depends_on_the_versions_that_were_tested(wheel):
    metadata = zipfile.ZipFile(wheel).read(f"durascope-{VERSION}.dist-info/METADATA").decode()
    asked = {line.split()[1].rstrip(";") for line in metadata.splitlines() if line.startswith("Requires-Dist: ")}
    locked = (PROJECT / "requirements.txt").read_text().splitlines()
    assert asked == {line.split()[0] for line in locked if line and line[0].isalnum()}
    assert all("==" in one for one in asked) and len(asked) > 20


def test_the_command_works_outside_of_a_clone(durascope):
    assert durascope("--version").stdout == f"durascope {VERSION}\n"
    told = durascope().stdout
    assert "durascope audit " in told and "durascope demo " in told and str(durascope.home) in told
    assert "usage: durascope audit" in durascope("audit", "--help").stdout
    made = durascope("migrate", "--verbosity", "0")
    assert (made.returncode, made.stderr) == (0, ""), made.stderr
    assert (durascope.home / "durascope.sqlite3").stat().st_mode & 0o777 == 0o600
    assert "what-does-safety-cost" in durascope("experiment", "recipes").stdout
    assert durascope("nonsense").returncode != 0


def test_the_package_names_the_programs_that_the_machine_lacks(durascope):
    assert durascope("programs").returncode == 0, "the tests need these programs too"
    assert durascope("programs", "--everything").returncode == 2
