"""Mounts and loop devices are taken away as far as possible, whatever one of them does."""

import contextlib
import errno
from pathlib import Path

import pytest

from workers.errors import SandboxError
from workers.sandbox.disk import loops, system


@pytest.fixture
def host(monkeypatch, tmp_path):
    """(mounts, loop devices, those of which are busy)."""
    mounts, devices, busy = {tmp_path / "mnt": "ext4", tmp_path / "fuse": "fuse"}, ["/dev/loop1", "/dev/loop2"], []

    def detach(device, file):
        assert file == f"file of {device}"
        if str(device) in busy:
            raise SandboxError(f"{device} could not be detached.")
        devices.remove(str(device))

    monkeypatch.setattr(system, "mounts_below", lambda folder: list(mounts.items()))
    monkeypatch.setattr(loops, "below", lambda folder: {Path(one): f"file of {one}" for one in devices})
    monkeypatch.setattr(loops, "detach", detach)
    monkeypatch.setattr(system, "unmount", lambda point: mounts.pop(point))
    return mounts, devices, busy


def test_everything_goes(host, tmp_path):
    system.dismantle(tmp_path)
    assert host[:2] == ({}, [])


def test_a_device_that_is_busy_keeps_no_other_and_is_told(host, tmp_path):
    """Its file stays mounted: the kernel forgets the path with the mount, and nobody would know whose device it is."""
    mounts, devices, busy = host
    busy.append("/dev/loop1")
    with pytest.raises(SandboxError, match=f"could not be removed: {tmp_path}/fuse, /dev/loop1"):
        system.dismantle(tmp_path)
    assert (mounts, devices) == ({tmp_path / "fuse": "fuse"}, ["/dev/loop1"])
    busy.clear()
    system.dismantle(tmp_path)
    assert host[:2] == ({}, [])


@pytest.mark.parametrize(("number", "is_gone"), [(errno.ENOENT, True), (errno.ENODEV, True), (errno.EMFILE, False)])
def test_a_device_that_cannot_be_asked_is_not_taken_for_detached(monkeypatch, tmp_path, number, is_gone):
    def fail(file):
        raise OSError(number, "no")

    monkeypatch.setattr(Path, "read_text", fail)
    with contextlib.nullcontext() if is_gone else pytest.raises(OSError):
        loops.detach(tmp_path / "loop1", "/ours/file")


def test_a_device_that_was_given_to_somebody_else_is_not_waited_for(monkeypatch, tmp_path):
    """As soon as the kernel has let go of it, another process may have it."""
    files, asked = iter(["/ours/file", "/theirs/file"]), []
    (tmp_path / "loop1").touch()
    monkeypatch.setattr(loops, "backing_file", lambda device: next(files))
    monkeypatch.setattr(loops.fcntl, "ioctl", lambda *call: asked.append(call[1]))
    loops.detach(tmp_path / "loop1", "/ours/file")
    assert asked == [loops.LOOP_CLR_FD]
    monkeypatch.setattr(loops, "backing_file", lambda device: "/theirs/file")
    loops.detach(tmp_path / "loop1", "/ours/file")
    assert asked == [loops.LOOP_CLR_FD], "it is theirs already: it is not detached"
