"""What scripts/test installs for which part of the tests: asked on a machine that lacks every program."""

import os
import shutil
import subprocess

import pytest

from dashboard.installation.home import PROJECT

UNIT = [
    ("pure",), ("records", "-x"), ("unit",), ("coverage",), ("tests/unit",), ("tests/unit/crash/test_verdict.py", "-x"),
    ("-k", "preflight", "tests/unit/servers"),
]  # fmt: skip
ALL = [(), ("real",), ("build",), ("-k", "preflight"), ("tests/unit", "tests/real/test_load.py"), ("tests/browser",)]


@pytest.fixture
def asks(tmp_path):
    """The packages that it would install for these arguments; "" if it went on."""
    shutil.copytree(PROJECT / "scripts", tmp_path / "clone/scripts")
    bin = tmp_path / "bin"
    bin.mkdir()
    for name in ("bash", "cut", "dirname", "grep", "id", "readlink", "sort", "tr", "sha256sum", "cat"):
        (bin / name).symlink_to(shutil.which(name))
    (bin / "python3").symlink_to(shutil.which("true"))
    for name in ("test", "programs.sh"):  # this machine's own programs lie in the folders that it adds to the PATH
        file = tmp_path / "clone/scripts" / name
        text = file.read_text().replace('export PATH="$PATH:', 'IGNORED="').replace("/usr/lib/postgresql", "/nowhere")
        file.write_text(text)

    def ask(*arguments):
        argv = [shutil.which("bash"), tmp_path / "clone/scripts/test", *arguments]
        env = {"PATH": str(bin), "DURASCOPE_INSTALL": "no", "HOME": os.environ.get("HOME", "/")}
        done = subprocess.run(argv, env=env, capture_output=True, text=True, check=False)
        lines = done.stderr.partition("does not have:\n")[2].partition("Nothing was installed")[0].splitlines()
        return {line.split()[0] for line in lines}

    return ask


@pytest.mark.parametrize("arguments", UNIT, ids=" ".join)
def test_unit_tests_need_no_program(asks, arguments):
    assert asks(*arguments) == set()


@pytest.mark.parametrize("arguments", ALL, ids=" ".join)
def test_other_tests_need_servers_and_a_browser(asks, arguments):
    assert {"mariadb-server-core", "nginx", "postgresql", "redis-tools"} < asks(*arguments)


def test_unit_tests_on_postgresql_need_postgresql_alone(asks):
    assert asks("--postgresql", "unit") == {"postgresql"}


def test_the_doors_need_more(asks):
    assert {"podman", "systemd-container", "nginx"} < asks("doors")
