"""deploy/compose.yaml from nothing to the first finished crash experiment, and back to nothing. The images are built
from Debian's packages; nothing is pulled."""

import json
import os
import urllib.request

import pytest
import yaml

from dashboard.installation.home import PROJECT
from dashboard.installation.version import VERSION
from tests.real import containers
from tests.real.containers import FILES, PORT, ROLES

pytestmark = [
    pytest.mark.skipif("DOORS" not in os.environ, reason="takes minutes: scripts/test doors"),
    pytest.mark.skipif(bool(containers.why_not()), reason=containers.why_not()),
    pytest.mark.timeout(containers.BUILD_LIMIT_S),
]
COMPOSE, CRASH = (yaml.safe_load((PROJECT / file).read_text()) for file in FILES)
WORKER = CRASH["services"]["worker"]
ASK = ("--entrypoint", "durascope", f"localhost/durascope-crash-worker:{VERSION}", "worker", "--needs-power-loss")
SMALL = "threads=1 repeats=1 warmup_s=1 measure_s=1 trials=1 control_trials=0 kinds=power-loss".split()  # noqa: SIM905

# As in docs/containers.md: podman-compose of Debian 12 leaves the network and some volumes.
REMOVE = (
    f"podman volume ls -q | grep ^{containers.NAME}_ | xargs -r podman volume rm"
    f"; podman network rm {containers.NAME}_default"
)


@pytest.fixture(scope="module")
def podman(tmp_path_factory):
    with containers.images(tmp_path_factory.mktemp("context")) as made:
        yield made


def rights(*without):
    """Options of podman that give what compose.crash.yaml gives, without some of it."""
    options = {"cap-add": "cap_add", "device": "devices", "device-cgroup-rule": "device_cgroup_rules"}
    given = [f"--{option}={one}" for option, key in options.items() for one in WORKER[key] if one not in without]
    return ["--read-only", "--tmpfs=/home/durascope", "--cap-drop=ALL", *given]


@pytest.mark.parametrize(
    ("without", "reason"),
    [
        *((right, f"It lacks CAP_{right} (") for right in WORKER["cap_add"]),
        ("/dev/fuse", "The kernel has no FUSE, or the worker may not open it"),
        ("/dev/net/tun", "The kernel has no TUN devices, or the worker may not open them"),
        ("/dev/loop-control", "The kernel has no loop devices, or the worker may not open it"),
        ("b 7:* rwm", "No loop device"),
    ],
)
def test_a_crash_worker_without_one_of_its_rights_does_not_start_and_says_why(podman, without, reason):
    """What fails without each capability: test_rights.py."""
    done = podman.ran("podman", "run", "--rm", "--network=none", *rights(without), *ASK)
    assert done.returncode == 2
    assert "it was started for power losses, and cannot simulate them here" in done.stderr and reason in done.stderr


def test_images_hold_no_secret_and_nothing_of_the_machine_that_built_them(podman):
    for role in ROLES:
        (image,) = json.loads(podman.says("image", "inspect", f"localhost/durascope-{role}:{VERSION}"))
        assert image["Config"]["User"] == ("root" if role == "crash-worker" else "durascope")
        assert not [one for one in image["Config"]["Env"] if "PASSWORD" in one or "KEY" in one or "PIP_" in one]
    look = "find /secrets /made /home /data -type f; ls /etc/pip.conf /build/dist 2>/dev/null; true"
    assert podman.says("run", "--rm", "--entrypoint=sh", f"localhost/durascope-web:{VERSION}", "-c", look) == ""


def health():
    with urllib.request.urlopen(f"http://127.0.0.1:{PORT}/health", timeout=10) as answer:
        return json.load(answer)


def test_from_nothing_to_a_crash_experiment_to_the_next_version_to_nothing(podman):
    assert not any(podman.left().values())
    podman.compose("up", "-d")
    for service in ("postgresql", "redis", "web", "worker", "sample", "beat"):
        podman.healthy(service)
    assert health()["status"] == "ok"
    assert "is an administrator" in podman.inside("web", "start", "makeadmin", "dba")
    confined(podman)
    measures(podman)
    is_restored(podman)

    for role in ROLES:
        podman.says("tag", f"localhost/durascope-{role}:{VERSION}", f"localhost/durascope-{role}:next")
    podman.compose("down")
    podman.compose("up", "-d", DURASCOPE_TAG="next")
    podman.healthy("web")
    assert podman.says("inspect", "--format={{.ImageName}}", f"{containers.NAME}_web_1").endswith("durascope-web:next")
    assert (
        "Another server has this name"
        in podman.ran("podman", "exec", f"{containers.NAME}_web_1", "start", "server", "sandbox", "box").stderr
    ), "the database was kept"

    podman.compose("down", "--volumes")
    podman.ran("sh", "-c", REMOVE)
    assert not any(podman.left().values())


def confined(podman):
    for service in COMPOSE["services"]:
        if service != "secrets":
            status = podman.inside(service, "cat", "/proc/self/status")
            assert "NoNewPrivs:\t1" in status
            assert ("CapEff:\t0000000000000000" in status) == (service != "worker")
            touched = podman.ran("podman", "exec", f"{containers.NAME}_{service}_1", "touch", "/usr/bin/new")
            assert touched.returncode and "Read-only file system" in touched.stderr


def measures(podman):
    podman.inside("worker", "start", "server", "sandbox", "box")
    changes = [word for one in SMALL for word in ("--set", one)]
    said = podman.inside(
        "worker", "start", "experiment", "run", "what-does-safety-cost", "--server", "box", *changes, "--json"
    )
    trials = json.loads(said)["trials"]
    assert {one["kind"] for one in trials} == {"power-loss"}
    assert {one["verdict"] for one in trials} <= {"valid", "invalid"}, "no trial is unclear"
    podman.inside("web", "start", "server", "import", "/secrets/sample.cnf", "--label", "test", "--yes")


def is_restored(podman):
    """A person who came after the backup is not there after the restore; the server is."""
    secret = "umask 077 && echo a long passphrase >/home/durascope/passphrase"
    podman.inside("web", "sh", "-c", secret)
    file, passphrase = "/home/durascope/backup", "--passphrase-file=/home/durascope/passphrase"
    assert "encrypted by the passphrase" in podman.inside("web", "start", "backup", file, passphrase)
    podman.inside("web", "start", "makeadmin", "later")
    podman.compose("stop", "web", "beat", "worker")
    podman.compose("run", "--rm", "--no-deps", "web", "restore", file, passphrase, "--overwrite")
    podman.compose("start", "web")
    podman.healthy("web")
    podman.inside("web", "start", "restored", "--release")
    podman.compose("start", "beat", "worker")
    podman.healthy("worker")
    assert "is an administrator" in podman.inside("web", "start", "makeadmin", "later")
