"""However a disk ends, nothing is left of it: and what is another's stays."""

import gc
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.real.disks import flushed_file, leavings, needs_disk
from workers.errors import SandboxError
from workers.host.until import until
from workers.sandbox.disk import loops, system
from workers.sandbox.disk.volatile import VolatileDisk
from workers.sandbox.process import start_time
from workers.sandbox.sweep import sweep

pytestmark = needs_disk
WORKER = Path(__file__).with_name("disk_worker.py")
NOTHING = (0, 0, [])
SIZE_BYTES = 64 << 20
CYCLES = 20


@pytest.fixture
def root(sandbox_root):
    """A root of our own below the shared one; it must be bare at the end."""
    folder = sandbox_root / "leaks"
    folder.mkdir(exist_ok=True)
    yield folder
    sweep(folder)
    assert leavings(folder) == NOTHING


def test_many_cycles_of_a_disk_leave_nothing(root):
    gc.collect()  # files of earlier tests
    files, children = _open_files(), _children()
    for cycle in range(CYCLES):
        with VolatileDisk.create(root / "live" / f"cycle-{cycle}", SIZE_BYTES) as disk:
            flushed_file(disk.mnt / "kept", 1)
            (disk.mnt / "lost").write_text("x")
            disk.cut(keep_permille=500 * (cycle % 2), seed=cycle)
            disk.power_on()
            assert (disk.mnt / "kept").exists()
    assert leavings(root) == NOTHING
    assert list((root / "live").iterdir()) == []
    assert (_open_files(), _children()) == (files, children)


def test_a_disk_leaves_nothing_after_an_exception(root):
    with pytest.raises(RuntimeError), VolatileDisk.create(root / "live" / "a", SIZE_BYTES):
        raise RuntimeError
    assert leavings(root) == NOTHING


@pytest.mark.parametrize(("place", "step"), [(loops, "write_cache"), (system, "mount_ext4")])
def test_a_disk_whose_making_is_cancelled_leaves_nothing(root, monkeypatch, place, step):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(place, step, interrupted)
    with pytest.raises(KeyboardInterrupt):
        VolatileDisk.create(root / "live" / "a", SIZE_BYTES)
    assert leavings(root) == NOTHING
    assert list((root / "live").iterdir()) == []


KILLED = """
import fcntl, os, signal, sys
from pathlib import Path
from workers.sandbox.disk import loops
ioctl = fcntl.ioctl
def last(loop, call, *given):
    answer = ioctl(loop, call, *given)
    if call != loops.LOOP_CTL_GET_FREE:
        os.kill(os.getpid(), signal.SIGKILL)
    return answer
fcntl.ioctl = last
loops.attach(Path(sys.argv[1]))
"""


def test_a_worker_that_is_killed_as_soon_as_it_has_a_loop_device_leaves_none(root):
    file = flushed_file(root / "file", 256)
    ended = subprocess.run([sys.executable, "-c", KILLED, file], check=False)
    assert ended.returncode == -signal.SIGKILL
    assert until(lambda: loops.below(root) == {}, 10, 0.05)


def test_a_disk_with_a_dead_process_can_be_removed(root):
    disk = VolatileDisk.create(root / "live" / "dead", SIZE_BYTES)
    (disk.mnt / "a").write_text("dirty")
    os.kill(disk.pid, signal.SIGKILL)
    disk.remove()
    assert leavings(root) == NOTHING
    disk.remove()


def test_a_disk_with_a_hanging_process_can_be_removed(root, monkeypatch):
    """Nothing may wait for ever for a device that does not answer."""
    monkeypatch.setattr("workers.sandbox.disk.served.ANSWER_TIMEOUT_S", 0.2)
    disk = VolatileDisk.create(root / "live" / "hung", SIZE_BYTES)
    (disk.mnt / "a").write_text("dirty")
    os.kill(disk.pid, signal.SIGSTOP)
    disk.remove()
    assert leavings(root) == NOTHING


def test_a_hanging_unmount_is_given_up(root):
    disk = VolatileDisk.create(root / "live" / "hung", SIZE_BYTES)
    (disk.mnt / "a").write_text("dirty")
    os.kill(disk.pid, signal.SIGSTOP)
    with pytest.raises(SandboxError, match="could not be unmounted"):
        system.unmount(disk.mnt, patience_s=0.3)
    disk._kill()
    disk.remove()
    assert leavings(root) == NOTHING


def test_an_unmount_waits_for_the_last_user_of_the_disk(root):
    with VolatileDisk.create(root / "live" / "busy", SIZE_BYTES) as disk, (disk.mnt / "a").open("w"):
        disk.cut()
        with pytest.raises(SandboxError, match="busy"):
            system.unmount(disk.mnt, patience_s=0.1)


@pytest.mark.parametrize("stage", ["disk", "server", "frozen", "image", "measured"])
def test_the_next_worker_sweeps_what_a_killed_one_left_and_spares_the_living(root, pytestconfig, stage):
    with VolatileDisk.create(root / "live" / "living", SIZE_BYTES) as living:
        flushed_file(living.mnt / "a", 1)
        folder, disk, server = _killed_worker(root, pytestconfig.rootpath, stage)
        assert leavings(folder)[:2] == (2, 1)
        assert {folder.name, folder.parent.name} & set(sweep(root))
        assert leavings(folder) == NOTHING
        assert not folder.exists()
        assert [start_time(pid) for pid in (disk, server) if pid] == [None] * (2 if server else 1)
        assert sweep(root) == []
        living.cut()
        living.power_on()
        assert (living.mnt / "a").exists()
    assert list((root / "live").iterdir()) == []


def test_the_disk_of_a_living_worker_is_not_swept(root, pytestconfig):
    worker, folder, disk, _ = _worker(root, pytestconfig.rootpath, "disk")
    try:
        assert sweep(root) == []
        assert leavings(folder) == (2, 1, [disk])
    finally:
        worker.kill()
        worker.communicate()


def _killed_worker(root: Path, project: Path, stage: str) -> tuple[Path, int, int]:
    worker, folder, disk, server = _worker(root, project, stage)
    worker.kill()
    worker.communicate()
    return folder, disk, server


def _worker(root: Path, project: Path, stage: str) -> tuple[subprocess.Popen, Path, int, int]:
    argv, env = [sys.executable, WORKER, root, stage], {**os.environ, "PYTHONPATH": str(project)}
    worker = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, env=env)
    folder, disk, server = worker.stdout.readline().split()
    return worker, Path(folder), int(disk), int(server)


def _open_files() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def _children() -> int:
    return len(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split())
