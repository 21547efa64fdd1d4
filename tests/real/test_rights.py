"""A crash worker has exactly the capabilities that it needs: without any one of deploy/compose.crash.yaml something
fails, and the worker names that capability before it starts."""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
import yaml

from dashboard.installation.home import PROJECT
from tests.real.disks import with_own_mounts
from workers.host.ability import OF_A_CRASH_WORKER
from workers.sandbox.users import unprivileged_user

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root has capabilities to lose")
GIVEN = yaml.safe_load((PROJECT / "deploy/compose.crash.yaml").read_text())["services"]["worker"]["cap_add"]
# A /dev as in a container: the devices of compose.crash.yaml, and no loop device.
DEV = """mount -t tmpfs none /dev && mknod -m 666 /dev/null c 1 3 && mknod -m 666 /dev/urandom c 1 9 &&
mkdir /dev/net && mknod /dev/fuse c 10 229 && mknod /dev/loop-control c 10 237 && mknod /dev/net/tun c 10 200 &&
exec "$@" """
FAILS = {
    "CHOWN": {"gives a folder"},
    "DAC_OVERRIDE": {"reads a folder", "links a socket"},
    "FOWNER": {"links a socket"},
    "KILL": {"ends a process", "network"},
    "SETGID": {"becomes the user", "network"},
    "SETUID": {"becomes the user", "network"},
    "NET_ADMIN": {"network"},
    "SYS_PTRACE": {"network"},
    "SYS_ADMIN": {"power loss", "network"},
    "SYS_NICE": {"real time"},
    "MKNOD": {"power loss"},
}


@pytest.fixture(scope="module")
def did():
    """What a worker with these capabilities says, and what failed."""
    user, folder = unprivileged_user(), Path(tempfile.mkdtemp(prefix="ds-rights-", dir="/var/tmp"))
    user.folder(folder / "theirs")
    user.folder(folder / "run")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(folder / "run/sock"))
    os.chown(folder / "run/sock", user.uid, user.gid)
    process = subprocess.Popen([*user.setpriv, "sleep", "600"])

    def run(rights):
        shutil.rmtree(folder / "given", ignore_errors=True)
        (folder / "sock").unlink(missing_ok=True)
        bounds = ",".join(["-all", *(f"+{right.lower()}" for right in rights)])
        alone = [*with_own_mounts(DEV), "setpriv", f"--bounding-set={bounds}", "--inh-caps=-all", "--no-new-privs"]
        argv = [*alone, sys.executable, "-m", "tests.real.rights_worker", folder, str(process.pid)]
        done = subprocess.run(argv, cwd=PROJECT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    yield run
    process.kill()
    process.wait()
    shutil.rmtree(folder)


def test_with_all_of_them_nothing_fails(did):
    assert did(GIVEN) == {"says": "", "failed": {}}
    assert set(GIVEN) == OF_A_CRASH_WORKER.keys()


@pytest.mark.parametrize("right", GIVEN)
def test_without_one_something_fails_and_the_worker_names_it(did, right):
    found = did(set(GIVEN) - {right})
    assert found["says"] == f"It lacks CAP_{right} ({OF_A_CRASH_WORKER[right][1]})."
    assert found["failed"].keys() == FAILS[right], found["failed"]
