"""A worker is killed while it records a load or tries crash points: its servers and disks end, and the next worker
removes the rest."""

import os
import re
import subprocess
import sys
from contextlib import ExitStack
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
WRITTEN = 100_000  # bytes of a recording: the load is under way
LANES = min(2, len(os.sched_getaffinity(0)))


@pytest.fixture
def started(sandbox_root, pytestconfig):
    """Starts a worker whose load takes so many seconds; it is removed at the end."""
    env = {**os.environ, "PYTHONPATH": str(pytestconfig.rootpath)}
    with ExitStack() as made:

        def start(load_s):
            argv = [sys.executable, WORKER, sandbox_root, str(load_s)]
            worker = made.enter_context(subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, env=env))
            made.callback(end, worker, sandbox_root)
            return worker

        yield start


def end(worker, root):
    worker.kill()
    worker.wait()
    sweep(root)


def test_a_worker_that_is_killed_between_crash_points_leaves_nothing(started, sandbox_root):
    before = look(sandbox_root)
    worker = started(0.4)
    assert any(SEVERAL.search(step) for step in worker.stdout)
    assert disks(sandbox_root) == len(before[1][2]) + 1 + LANES, "the recorded disk and one for each lane"
    nothing_is_left_of(worker, sandbox_root, *before, more_than=LANES)


def test_a_worker_that_is_killed_while_it_records_leaves_nothing(started, sandbox_root):
    before = look(sandbox_root)
    worker = started(600)
    assert any(step.endswith(": load by the clients\n") for step in worker.stdout)
    until(lambda: any(file.stat().st_size > WRITTEN for file in sandbox_root.glob("live/recording-*/*/events")))
    assert disks(sandbox_root) == len(before[1][2]) + 1
    nothing_is_left_of(worker, sandbox_root, *before, more_than=1)


def look(root):
    return set((root / "live").glob("*")), leavings(root)


def disks(root):
    return len(leavings(root)[2])


def nothing_is_left_of(worker, sandbox_root, before, bare, more_than):
    """`more_than`: so many of its processes run."""
    live = sandbox_root / "live"
    made = set(live.glob("*")) - before
    notes = [note for folder in made if (note := owner.read(folder))]
    servers = [note.server_pid for note in notes if note.server_alive]
    assert len(servers) > more_than, "the disks' processes, and servers"
    worker.kill()
    worker.wait()
    assert {folder.name for folder in made} <= set(sweep(sandbox_root))
    assert leavings(sandbox_root) == bare
    until(lambda: not any(map(start_time, servers)))
    assert set(live.glob("*")) == before
