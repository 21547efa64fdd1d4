"""A worker is killed while it tries crash points: its servers and disks end, and the next worker removes the rest."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.real.disks import leavings, needs_disk
from tests.real.parts import until
from workers.sandbox import owner
from workers.sandbox.process import start_time
from workers.sandbox.sweep import sweep

pytestmark = [needs_disk, pytest.mark.usefixtures("leaves_nothing")]
WORKER = Path(__file__).with_name("points_worker.py")
SEVERAL = re.compile(r" ([3-9]|\d\d+) of ")  # crash points were begun, so both lanes are at work
LANES = min(2, len(os.sched_getaffinity(0)))


@pytest.fixture
def worker(sandbox_root, pytestconfig):
    argv, env = [sys.executable, WORKER, sandbox_root], {**os.environ, "PYTHONPATH": str(pytestconfig.rootpath)}
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, env=env) as process:
        try:
            yield process
        finally:
            process.kill()
            process.wait()
            sweep(sandbox_root)


def test_a_worker_that_is_killed_between_crash_points_leaves_nothing(worker, sandbox_root):
    live = sandbox_root / "live"
    before, bare = set(live.glob("*")), leavings(sandbox_root)
    assert any(SEVERAL.search(step) for step in worker.stdout)
    made = set(live.glob("*")) - before
    notes = [note for folder in made if (note := owner.read(folder))]
    servers = [note.server_pid for note in notes if note.server_alive]
    assert len(leavings(sandbox_root)[2]) == len(bare[2]) + 1 + LANES, "the recorded disk and one for each lane"
    assert len(servers) > LANES, "the disks' processes, and servers"
    worker.kill()
    worker.wait()
    assert {folder.name for folder in made} <= set(sweep(sandbox_root))
    assert leavings(sandbox_root) == bare
    until(lambda: not any(map(start_time, servers)))
    assert set(live.glob("*")) == before
