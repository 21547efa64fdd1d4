"""The first commands of README and CONTRIBUTING, typed by a newcomer on a minimal Debian 12 and 13."""

import json
import os
import shutil
import tempfile
from pathlib import Path

import pytest

from tests.real import guest
from tests.real.minimal import RELEASES, Minimal, committed

pytestmark = [
    pytest.mark.skipif("DOORS" not in os.environ, reason="takes minutes: scripts/test doors"),
    pytest.mark.timeout(3600),
]
CLONE = "cd /root && git clone -q /src d && cd d && "
PLAN = "threads=1 repeats=1 warmup_s=0 measure_s=1 trials=1 control_trials=0 kinds=process-kill".split()  # noqa: SIM905
DEMO = "scripts/demo --once --json " + " ".join(f"--set {one}" for one in PLAN)
HEAVY = {"chromium-headless-shell", "nginx", "postgresql", "caddy", "prometheus", "mariadb-server-core", "redis-tools"}


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    guest.release()  # skips where there can be no guest
    folder = tmp_path_factory.mktemp("source")
    folder.chmod(0o755)
    return committed(folder)


@pytest.fixture(params=RELEASES)
def debian(request, source):
    folder = Path(tempfile.mkdtemp(prefix="ds-minimal-", dir="/var/tmp"))
    yield Minimal(request.param, folder, source)
    shutil.rmtree(folder)


def test_help_installs_nothing(debian):
    before = debian.packages()
    for script in ("demo", "test", "package", "site", "images", "release"):
        assert debian.shell(f"/src/scripts/{script} --help").status == 0, script
    assert debian.packages() == before and debian.shell("ls -d /src/.venv").status != 0


def test_an_ordinary_user_is_told_what_root_must_run(debian):
    user = "useradd -m -s /bin/bash someone && cp -r /src ~someone/d && chown -R someone: ~someone/d && "
    said = debian.shell(f"{user} cd ~someone/d && setpriv --reuid=someone --regid=someone --clear-groups scripts/demo")
    assert said.status == 2 and "this user is not root, and there is no sudo" in said.err
    assert "  apt-get update && apt-get install --no-install-recommends " in said.err
    assert "mariadb-server-core" in said.err and "python3-venv" in said.err
    assert debian.shell("ls -d ~someone/d/.venv").status != 0


def test_without_a_network_it_is_told(debian):
    said = debian.shell(f"{CLONE} {DEMO}", "--net")
    assert said.status == 2 and said.out == "" and "apt-get failed (see above)" in said.err
    assert "Traceback" not in said.err and debian.shell("ls -d /root/d/.venv").status != 0


@pytest.mark.parametrize(
    "before", ["umask 022", "umask 077; rm /usr/bin/python3*"], ids=["plain", "umask 077, no Python"]
)
def test_a_dry_run_of_the_installer_changes_nothing(debian, before):
    """The folder stands for a running systemd, which nothing of a dry run asks."""
    debian.shell("mkdir -p /run/systemd/system")
    said = debian.shell(f"{before}; /src/deploy/install.sh --name a.example.org --dry-run", LANG="de_DE.UTF-8")
    assert said.status == 0 and "start nginx" in said.err and "nothing was changed" in said.err
    assert debian.shell("ls -d /opt/durascope /etc/durascope || getent passwd durascope").out == ""


@pytest.mark.parametrize(
    ("before", "environment"),
    [("", {}), ("umask 077; ", {"LANG": "de_DE.UTF-8", "DURASCOPE_HOME": ""})],
    ids=["plain", "umask 077, a locale that is not there, an empty home"],
)
def test_the_demo_measures_and_crashes(debian, before, environment):
    said = debian.shell(f"{before} {CLONE} {DEMO}", **environment)
    assert said.status == 0
    told = json.loads(said.out)
    assert told["experiment"]["state"] == "done" and len(told["trials"]) == 4
    assert {one["verdict"] for one in told["trials"]} <= {"valid", "invalid"}
    assert debian.shell("ls /root/d/secret_key /root/d/durascope.sqlite3").out == ""


def test_the_first_command_of_contributing_and_the_package(debian):
    """It installs no server and no browser. An earlier `python3 -m venv` without python3-venv left a half .venv."""
    half = "python3 -m venv .venv >/dev/null || true; test -x .venv/bin/python; "
    said = debian.shell(f"{CLONE} {half} scripts/test tests/unit/test_version.py", LANG="de_DE.UTF-8")
    assert said.status == 0 and " passed" in said.out
    assert not debian.packages() & HEAVY
    said = debian.shell("cd /root/d && scripts/package")
    assert said.status == 0 and ".whl" in said.out
    pip = "python3 -m venv own && own/bin/python -m pip install -q d/dist/*.whl && own/bin/durascope programs --install"
    assert debian.shell(f"cd /root && umask 077 && {pip}", LANG="de_DE.UTF-8").status == 0
    assert debian.shell("/root/own/bin/durascope programs").err == ""
