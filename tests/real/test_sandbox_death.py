"""A killed worker takes its servers with it, and the next one clears away the folders."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from workers.sandbox import owner
from workers.sandbox.process import start_time
from workers.sandbox.sweep import sweep

# Makes a sandbox in a thread that ends at once, as a worker's threads may.
WORKER = Path(__file__).with_name("sandbox_worker.py")


@pytest.fixture
def worker(sandbox, sandbox_root, pytestconfig):
    """A worker process with a sandbox; (process, the sandbox's folder, its server's pid)."""
    argv, env = [sys.executable, WORKER, sandbox_root], {**os.environ, "PYTHONPATH": str(pytestconfig.rootpath)}
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, env=env) as process:
        try:
            folder, server = process.stdout.readline().split()
            yield process, Path(folder), int(server)
        finally:
            process.kill()
            process.wait()
            sweep(sandbox_root)


def gone_within(pid: int, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while start_time(pid) is not None and time.monotonic() < deadline:
        time.sleep(0.01)
    return start_time(pid) is None


def test_a_server_outlives_the_thread_that_made_it(worker):
    _, _, server = worker
    time.sleep(0.3)
    assert start_time(server) is not None


def test_a_server_dies_with_its_worker_and_its_folder_is_swept(worker, sandbox, sandbox_root):
    process, folder, server = worker
    assert sweep(sandbox_root) == []
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert gone_within(server, seconds=60)
    assert sweep(sandbox_root) == [folder.name]
    assert not folder.exists()
    assert sandbox.running


def test_the_sweep_kills_a_server_that_outlived_its_worker(sandbox_root):
    leftover = subprocess.Popen(["sleep", "600"])
    folder = _leaving(sandbox_root, leftover.pid, start_time(leftover.pid))
    assert sweep(sandbox_root) == [folder.name]
    assert leftover.wait(60) == -signal.SIGKILL


def test_the_sweep_spares_another_process_with_the_servers_pid(sandbox_root):
    stranger = subprocess.Popen(["sleep", "600"])
    folder = _leaving(sandbox_root, stranger.pid, start_time(stranger.pid) - 1)
    assert sweep(sandbox_root) == [folder.name]
    assert stranger.poll() is None
    stranger.kill()
    stranger.wait()


def _leaving(root: Path, server: int, started: int) -> Path:
    """A folder as a dead worker leaves it: the worker's pid is in use again, by us."""
    folder = owner.new_folder(root / "live")
    owner.write(folder, owner.Owner(os.getpid(), start_time(os.getpid()) - 1, owner.boot_id(), server, started))
    return folder
