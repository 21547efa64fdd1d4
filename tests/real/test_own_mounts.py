"""A worker mounts in a namespace of its own: a container that is started on the host holds none of its disks, and a
worker that is killed leaves nothing behind."""

import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.real.disks import flushed_file, mounts, needs_disk, with_own_mounts
from workers.host.until import until
from workers.sandbox.disk import loops
from workers.sandbox.disk.volatile import VolatileDisk
from workers.sandbox.process import start_time
from workers.sandbox.sweep import sweep

pytestmark = needs_disk
HERE = Path(__file__).parent
SOON_S, POLL_S = 60.0, 0.05


@pytest.fixture
def folder(sandbox_root):
    """Of a disk, not yet made."""
    root = sandbox_root / "mounting"
    yield root / "live" / "disk"
    sweep(root)
    assert not list(root.glob("live/*"))


@contextmanager
def mounting(folder, where):
    """A process with a disk in that folder; its mount point and its device."""
    env = {**os.environ, "PYTHONPATH": str(HERE.parents[1])}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "env": env}
    with subprocess.Popen([sys.executable, HERE / "mounting.py", folder, where], **pipes) as process:
        try:
            mnt, device = process.stdout.readline().split()
            yield process, mnt, Path(device)
        finally:
            process.kill()


@pytest.mark.parametrize(("where", "says"), [("own", "powered on"), ("host", "could not be released")])
def test_a_container_of_the_host_keeps_no_disk_of_a_worker_in_use(folder, where, says):
    """The second shows the fault."""
    with mounting(folder, where) as (worker, mnt, _):
        container = with_own_mounts("echo; exec sleep 600", mnt)
        with subprocess.Popen(container, stdout=subprocess.PIPE) as other:
            other.stdout.readline()
            worker.stdin.write("\n")
            worker.stdin.flush()
            try:
                assert says in worker.stdout.readline()
            finally:
                other.kill()


def test_nothing_is_mounted_or_attached_after_a_worker_that_was_killed(folder):
    with mounting(folder, "own") as (worker, mnt, device):
        assert mnt in mounts(folder) and loops.backing_file(device) == f"{folder}/disk"
        worker.kill()
    assert until(lambda: loops.backing_file(device) not in (f"{folder}/disk", loops.GONE), SOON_S, POLL_S)
    assert not mounts(folder)
    assert sweep(folder.parents[1]) == ["disk"]


def test_a_new_worker_keeps_no_disk_of_the_host_in_use(sandbox_root, folder):
    """Its namespace begins as a copy of the host's. The disk is let go there."""
    with VolatileDisk.create(sandbox_root / "live" / "of-the-host", 64 << 20) as disk:
        flushed_file(disk.mnt / "kept", 1)
        with mounting(folder, "own") as (worker, _, _):
            seen = Path(f"/proc/{worker.pid}/mountinfo").read_text()
            assert str(folder) in seen and str(disk.folder) not in seen
            disk.cut()
            disk.power_on()
            assert (disk.mnt / "kept").exists()


@pytest.mark.parametrize(("owner", "stays"), [("dead", False), ("living", True), ("nobody's", True)])
def test_a_sweep_detaches_devices_of_dead_workers_whose_file_is_gone(sandbox_root, tmp_path, monkeypatch, owner, stays):
    file = tmp_path / "image"
    file.write_bytes(bytes(1 << 20))
    pid, started = os.getpid(), start_time(os.getpid()) + (owner == "dead")
    argv = [sys.executable, HERE / "orphaned.py", file, str(pid), str(started if owner != "nobody's" else -1)]
    env = {**os.environ, "PYTHONPATH": str(HERE.parents[1])}
    device = Path(subprocess.run(argv, check=True, capture_output=True, text=True, env=env).stdout.strip())
    assert until(lambda: loops.backing_file(device) == loops.GONE, SOON_S, POLL_S)
    try:
        sweep(sandbox_root)
        assert loops.backing_file(device) == (loops.GONE if stays else "")
    finally:
        loops.detach(device, loops.GONE)
