"""A sandbox where the disk is small or the data lie in memory."""

import os
import subprocess

import pytest

from workers.errors import SandboxError
from workers.sandbox import builds
from workers.sandbox.server import Sandbox

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="mounting needs root")


@pytest.fixture
def tmpfs(sandbox_root):
    """Mounts a tmpfs of so many MiB below the root; unmounted at the end."""
    folder = sandbox_root / "tmpfs"
    folder.mkdir()

    def mount(mebibytes: int):
        options = f"size={mebibytes}m,mode=755"
        subprocess.run(["mount", "-t", "tmpfs", "-o", options, "durascope-test", folder], check=True)
        return folder

    yield mount
    subprocess.run(["umount", folder], check=True)
    folder.rmdir()


def test_the_needed_room_is_told_before_anything_is_made(tmpfs):
    root = tmpfs(64)
    with pytest.raises(SandboxError, match=r"disk is full.*needs 256 MiB, 64 MiB are free"):
        Sandbox.create(root, builds.find("system-mariadb"), {}, name="small")
    assert list(root.iterdir()) == []


def test_room_for_the_copy_is_needed_too(tmpfs):
    root = tmpfs(400)
    with pytest.raises(SandboxError, match=r"disk is full.*needs 3\d\d MiB"):
        Sandbox.create(root, builds.find("system-mariadb"), {}, name="small")
    assert not (root / "live").exists()


def test_a_sandbox_runs_on_a_tmpfs(tmpfs):
    """Unlike on /dev/shm, the server still calls fsync there."""
    with Sandbox.create(tmpfs(900), builds.find("system-mariadb"), {}, name="memory", trace=False) as sandbox:
        assert "memory-mapped" not in (sandbox.folder / "error.log").read_text().lower()
