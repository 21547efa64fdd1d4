"""`manage.py doctor`: on this host, on one that lacks things, and as an ordinary user."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]


@pytest.fixture
def doctor(tmp_path):
    """state and words of each line, and the exit status."""

    def run(*before, path=None, **environment):
        clean = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("DURASCOPE_", "DATABASE", "DJANGO_"))
        }
        given = {**clean, "DURASCOPE_HOME": str(tmp_path / "home"), "PATH": path or clean["PATH"], **environment}
        argv = [*before, sys.executable, "manage.py", "doctor", "--json"]
        done = subprocess.run(argv, cwd=PROJECT, env=given, capture_output=True, text=True, check=False)
        assert done.stdout, done.stderr
        return {one["title"]: (one["state"], one["says"]) for one in json.loads(done.stdout)}, done.returncode

    return run


def test_a_host_that_lacks_nothing_but_a_mail_server(doctor):
    found, status = doctor()
    assert {title for title, (state, _) in found.items() if state == "fails"} == set()
    assert found["builds"][0] == "works" and "system-mariadb" in found["builds"][1]
    assert found["sysbench"][0] == found["Redis"][0] == found["fsync trace"][0] == "works"
    assert found["mail"] == ("limited", "No mail server is set, so no e-mail is sent. Set DURASCOPE_SMTP_HOST.")
    assert status == 1


def test_what_cannot_be_reached_is_named_with_its_remedy(doctor):
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    found, status = doctor(
        DURASCOPE_REDIS=f"redis://127.0.0.1:{port}/0", DURASCOPE_SMTP_HOST="127.0.0.1", DURASCOPE_SMTP_PORT=str(port),
        DATABASE_URL=f"postgresql://nobody@127.0.0.1:{port}/none",
    )  # fmt: skip
    assert status == 2
    for title, remedy in (("Redis", "correct DURASCOPE_REDIS"), ("database", "correct DATABASE_URL")):
        assert found[title][0] == "fails" and remedy in found[title][1], found[title]
    assert found["mail"][0] == "limited" and "Check DURASCOPE_SMTP_HOST" in found["mail"][1]


def test_a_host_without_the_programs(doctor, tmp_path):
    """No program is on its PATH."""
    empty = tmp_path / "bin"
    empty.mkdir()
    found, status = doctor(path=str(empty))
    assert found["sysbench"][1].endswith("apt-get install sysbench")
    assert found["fsync trace"][0] == "limited" and found["Redis"][0] == "fails" and status == 2


needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")


@needs_root
def test_without_capabilities_it_says_what_needs_root(doctor):
    """The ordinary user of an installation: test_install."""
    found, status = doctor("setpriv", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs")
    assert found["power loss"][0] == "limited" and "Run it as root" in found["power loss"][1]
    assert found["networks"][0] == "limited" and "Run it as root" in found["networks"][1]
    assert found["database"][0] == "works" and status == 1


@needs_root
def test_a_host_without_fuse(doctor):
    """The same host with /dev/fuse hidden. Without hiding it, nothing is missing."""
    hidden = "mount -t tmpfs none /dev && mknod -m 666 /dev/null c 1 3 && mknod -m 666 /dev/urandom c 1 9"
    found, status = doctor("unshare", "--mount", "bash", "-c", f'{hidden} && exec "$@"', "bash")
    assert found["power loss"][0] == "limited" and status == 1
    assert "The kernel has no FUSE" in found["power loss"][1] and "modprobe fuse" in found["power loss"][1]
    assert found["builds"][0] == found["sysbench"][0] == "works"


@needs_root
def test_a_host_without_network_namespaces(doctor):
    """The kernel's limit, which each user namespace has for itself: the host's is not changed."""
    refused = "echo 0 >/proc/sys/user/max_net_namespaces"
    found, status = doctor("unshare", "--user", "--map-root-user", "bash", "-c", f'{refused} && exec "$@"', "bash")
    assert found["networks"][0] == "limited" and status == 1
    assert "sysctl user.max_net_namespaces=1024" in found["networks"][1]
    assert "runs in a user namespace" in found["power loss"][1]
