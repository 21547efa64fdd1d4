"""Images of this tree, and podman with a storage of its own below the cache folder: layers of Debian's packages and of
the Python packages are kept there from one build to the next. Only root can run a crash worker in a container."""

import fcntl
import json
import os
import resource
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dashboard.installation.home import PROJECT

CACHE = Path.home() / ".cache/durascope/containers"
NEEDED = ("podman", "podman-compose", "mmdebstrap", "runc")
ROLES = ("web", "worker", "crash-worker", "postgresql", "redis", "sample")
NAME = "durascope-test"
PORT = 18765
FILES = ("deploy/compose.yaml", "deploy/compose.crash.yaml")
LOOPS = "--podman-run-args=--device-cgroup-rule='b 7:* rwm'"
LIMIT_S = 400
BUILD_LIMIT_S = 3600  # from nothing, on a busy machine
CONFIGURATION = """[containers]
default_ulimits = ["nofile={most}:{most}", "nproc=32768:32768"]
log_driver = "k8s-file"
[network]
network_backend = "netavark"
[engine]
cgroup_manager = "cgroupfs"
runtime = "runc"
events_logger = "file"
"""
STORAGE = f"""[storage]
driver = "overlay"
graphroot = "{CACHE}/storage"
runroot = "/run/{NAME}"
"""


def why_not() -> str:
    """ "": images can be built and run here."""
    if os.getuid() != 0:
        return "only root runs a crash worker in a container"
    missing = [name for name in NEEDED if not shutil.which(name)]
    return f"{', '.join(missing)} is not here" if missing else ""


class Podman:
    """Its storage, limits that this machine allows, and control groups without systemd."""

    def __init__(self) -> None:
        files = {"CONTAINERS_CONF": CACHE / "containers.conf", "CONTAINERS_STORAGE_CONF": CACHE / "storage.conf"}
        most = min(20000, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
        files["CONTAINERS_CONF"].write_text(CONFIGURATION.format(most=most))
        files["CONTAINERS_STORAGE_CONF"].write_text(STORAGE)
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("DURASCOPE_", "DATABASE_"))}
        self.environment = {**kept, "DURASCOPE_PORT": str(PORT), **{name: str(file) for name, file in files.items()}}

    def ran(self, *words: str, limit_s: int = LIMIT_S, **changed: str) -> "subprocess.CompletedProcess[str]":
        done = subprocess.run(
            words, cwd=PROJECT, env={**self.environment, **changed}, stdin=subprocess.DEVNULL, capture_output=True,
            text=True, check=False, timeout=limit_s,
        )  # fmt: skip
        print(*words, done.stdout[-4000:], done.stderr[-4000:], sep="\n")  # pytest shows it when the test fails
        return done

    def says(self, *words: str) -> str:
        done = self.ran("podman", *words)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def compose(self, *words: str, **changed: str) -> None:
        files = [word for file in FILES for word in ("-f", file)]
        done = self.ran("podman-compose", "-p", NAME, *files, LOOPS, *words, **changed)
        assert done.returncode == 0, done.stderr

    def inside(self, service: str, *words: str) -> str:
        return self.says("exec", f"{NAME}_{service}_1", *words)

    def healthy(self, service: str) -> None:
        """Asked until it is: without systemd nobody else asks."""
        until = time.monotonic() + LIMIT_S
        while self.ran("podman", "healthcheck", "run", f"{NAME}_{service}_1").returncode:
            assert time.monotonic() < until, self.ran("podman", "logs", f"{NAME}_{service}_1").stderr[-4000:]
            time.sleep(1)

    def left(self) -> dict[str, str]:
        """What exists beside the images."""
        return {
            "containers": self.says("ps", "--all", "--quiet"),
            "volumes": self.says("volume", "ls", "--quiet"),
            "networks": "".join(one["name"] for one in json.loads(self.says("network", "ls", "--format", "json"))
                                if one["name"] != "podman"),
        }  # fmt: skip

    def clean(self) -> None:
        self.says("rm", "--all", "--force", "--time", "0", "--volumes")
        self.says("volume", "prune", "--force")
        self.says("network", "prune", "--force")


@contextmanager
def images(folder: Path) -> Iterator[Podman]:
    """All images of this tree, built by scripts/images. One test run at a time has the storage."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        podman = Podman()
        podman.clean()
        wheel = podman.ran(".venv/bin/python", "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder / "dist"))
        assert wheel.returncode == 0
        (folder / "deploy").mkdir()
        shutil.copytree(PROJECT / "deploy/containers", folder / "deploy/containers")
        shutil.copy(PROJECT / "requirements.txt", folder)
        named = {"ENGINE": "podman", "CONTEXT": str(folder), "DURASCOPE_INSTALL": "no"}
        built = podman.ran("scripts/images", limit_s=BUILD_LIMIT_S, **named)
        assert built.returncode == 0, built.stderr
        try:
            yield podman
        finally:
            podman.clean()
            podman.says("image", "prune", "--force", "--filter", "until=72h")
