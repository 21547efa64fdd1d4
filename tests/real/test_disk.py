"""What survives a power cut on a real file system: what was flushed, and nothing else that matters."""

import os
import subprocess
from contextlib import contextmanager

import pytest

from tests.real.disks import BLOCK_BYTES, direct, flushed_file, needs_disk, with_own_mounts
from workers.errors import SandboxError
from workers.sandbox.disk.served import BrokenFileSystem
from workers.sandbox.disk.volatile import VolatileDisk

pytestmark = needs_disk
SIZE_BYTES = 128 << 20


@pytest.fixture
def disk(sandbox_root):
    with VolatileDisk.create(sandbox_root / "live" / "disk-under-test", SIZE_BYTES) as made:
        yield made


@contextmanager
def unshared(*argv):
    """A process with a copy of all mounts, as a container that starts."""
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            process.stdout.readline()
            yield process
        finally:
            process.kill()


def lose_power(disk, **how):
    cut = disk.cut(**how)
    disk.power_on()
    return cut


def test_a_disk_keeps_a_flushed_block_and_loses_an_unflushed_one_written_directly(disk):
    file = flushed_file(disk.mnt / "a", 2)
    with direct(file) as write:
        os.fdatasync(write(0, b"S"))
        write(1, b"U")
    assert lose_power(disk).lost_bytes >= BLOCK_BYTES
    assert file.read_bytes() == b"S" * BLOCK_BYTES + b"0" * BLOCK_BYTES


def test_a_disk_keeps_a_synced_file_and_loses_one_in_the_page_cache(disk):
    synced = flushed_file(disk.mnt / "synced", 3, b"S")
    (disk.mnt / "unsynced").write_bytes(b"U" * BLOCK_BYTES)
    with synced.open("ab") as more:
        more.write(b"U" * BLOCK_BYTES)
        more.flush()
        lose = disk.cut()
    assert lose.kept_bytes == 0
    disk.power_on()
    assert synced.read_bytes() == b"S" * 3 * BLOCK_BYTES
    assert not (disk.mnt / "unsynced").exists()


def test_data_that_reached_the_disk_without_a_flush_is_lost(disk):
    """sync_file_range, and write-back by the kernel, hand data over and flush nothing."""
    file = flushed_file(disk.mnt / "a", 4)
    before = disk.stats()
    with direct(file) as write:
        for number in range(4):
            write(number, b"U")
    assert disk.stats().write_bytes - before.write_bytes >= 4 * BLOCK_BYTES
    lose_power(disk)
    assert file.read_bytes() == b"0" * 4 * BLOCK_BYTES


def test_a_disk_answers_from_memory_after_the_cut(disk):
    file = flushed_file(disk.mnt / "a", 1)
    disk.cut()
    with file.open("r+b") as open_file:
        open_file.write(b"later")
        os.fsync(open_file.fileno())
    assert disk.stats().frozen
    disk.power_on()
    assert file.read_bytes() == b"0" * BLOCK_BYTES
    assert not disk.stats().frozen


def test_a_disk_serves_again_after_power_on_and_can_be_cut_again(disk):
    for life in range(3):
        flushed_file(disk.mnt / f"life-{life}", 1)
        (disk.mnt / f"lost-{life}").write_text("x")
        lose_power(disk)
        assert {path.name for path in disk.mnt.iterdir()} == {"lost+found", *(f"life-{n}" for n in range(life + 1))}
    assert disk.stats().cuts == 3


def test_no_power_loss_while_a_container_holds_the_mount_of_a_disk(disk):
    """Mounted there, the file system would keep its memory: nothing unflushed would be lost."""
    (disk.mnt / "unsynced").write_bytes(b"U")
    with unshared(*with_own_mounts("echo; exec sleep 60", disk.mnt)):
        disk.cut()
        with pytest.raises(SandboxError, match="another mount namespace"):
            disk.power_on()
    disk.power_on()  # it is no longer mounted here
    assert not (disk.mnt / "unsynced").exists()


def test_power_on_waits_for_a_container_to_let_go_of_the_mount(disk):
    with unshared(*with_own_mounts('echo; read end; umount "$1"; exec sleep 60', disk.mnt)) as other:
        (disk.mnt / "unsynced").write_bytes(b"U")
        disk.cut()
        other.stdin.write(b"\n")
        other.stdin.close()
        disk.power_on()
        assert not (disk.mnt / "unsynced").exists()


def test_a_lying_disk_loses_what_was_flushed(disk):
    """The positive control of every crash experiment."""
    honest = flushed_file(disk.mnt / "honest", 1)
    disk.lie(True)
    lied_to = flushed_file(disk.mnt / "lied-to", 1)
    assert disk.stats().ignored
    lose_power(disk)
    assert honest.exists()
    assert not lied_to.exists()


def test_an_honest_disk_again_keeps_all(disk):
    disk.lie(True)
    lied_to = flushed_file(disk.mnt / "lied-to", 1, b"S")
    disk.lie(False)
    flushed_file(disk.mnt / "another", 1)
    lose_power(disk)
    assert lied_to.read_bytes() == b"S" * BLOCK_BYTES


def torn(root, seed: int) -> tuple[bytes, int]:
    """What is left of 512 unflushed blocks on a disk of its own, and how much was kept."""
    with VolatileDisk.create(root / "live" / "torn", SIZE_BYTES) as disk:
        file = flushed_file(disk.mnt / "a", 512)
        with direct(file) as write:
            for number in range(512):
                write(number, b"U")
        cut = lose_power(disk, keep_permille=500, seed=seed)
        return file.read_bytes(), cut.kept_bytes


def test_a_torn_cut_can_be_repeated(sandbox_root):
    first, again, other = torn(sandbox_root, 7), torn(sandbox_root, 7), torn(sandbox_root, 8)
    assert first == again
    assert first[0] != other[0]
    sectors = [first[0][at : at + 512] for at in range(0, len(first[0]), 512)]
    assert set(sectors) == {b"U" * 512, b"0" * 512}
    assert 0.45 < sectors.count(b"U" * 512) / len(sectors) < 0.55
    assert first[1] >= sectors.count(b"U" * 512) * 512


def test_a_disk_counts_writes_and_flushes(disk):
    file = flushed_file(disk.mnt / "a", 8)
    before = disk.stats()
    with direct(file) as write:
        for number in range(8):
            os.fdatasync(write(number, b"x"))
    after = disk.stats()
    assert after.flushes - before.flushes == 8
    assert after.flush_bytes - before.flush_bytes == after.write_bytes - before.write_bytes == 8 * BLOCK_BYTES
    assert after.pending_bytes == 0
    assert after.size_bytes == SIZE_BYTES


def test_a_disk_is_a_copy_of_an_image(disk, sandbox_root):
    flushed_file(disk.mnt / "a", 5, b"I")
    image = disk.unplug()
    with VolatileDisk.create(sandbox_root / "live" / "copy", image=image) as copy:
        assert (copy.mnt / "a").read_bytes() == b"I" * 5 * BLOCK_BYTES
        (copy.mnt / "a").unlink()
    assert image.stat().st_blocks * 512 < SIZE_BYTES / 2


def test_a_file_system_with_a_torn_superblock_is_repaired(sandbox_root):
    """Its checksum and what it is made of lie in two sectors of 512 bytes. Another copy is in the second 128 MiB."""
    with VolatileDisk.create(sandbox_root / "live" / "torn", 2 * SIZE_BYTES) as disk:
        file = flushed_file(disk.mnt / "a", 3)
        disk.cut()
        with disk.image.open("r+b") as image:
            image.seek(1024 + 1020)
            image.write(b"torn")
        said = disk.power_on()
        assert "could not be mounted" in said and said.endswith("e2fsck repaired the file system.")
        assert file.read_bytes() == b"0" * 3 * BLOCK_BYTES
        disk.cut()
        assert disk.power_on() == ""


def test_a_file_system_beyond_repair_is_reported(disk):
    disk.cut()
    with disk.image.open("r+b") as image:
        for begin in range(0, SIZE_BYTES, 1 << 20):
            image.seek(begin)
            image.write(bytes(1 << 20))
    with pytest.raises(BrokenFileSystem, match=r"broke the file system itself.*e2fsck could not repair it"):
        disk.power_on()


def test_an_impossible_disk_is_refused_and_leaves_nothing(sandbox_root):
    live = sandbox_root / "live"
    before = set(live.glob("*"))
    with pytest.raises(SandboxError, match="cannot have 4097 bytes"):
        VolatileDisk.create(live / "small", 4097)
    with pytest.raises(SandboxError, match="cp failed"):
        VolatileDisk.create(live / "no-image", image=sandbox_root / "never-made")
    not_a_file_system = sandbox_root / "noise"
    not_a_file_system.write_bytes(b"x" * (16 << 20))
    with pytest.raises(SandboxError, match="could not be mounted"):
        VolatileDisk.create(live / "noise", image=not_a_file_system)
    assert set(live.glob("*")) == before


def test_a_disk_without_its_process_does_not_answer(disk):
    disk._kill()
    with pytest.raises(SandboxError, match="does not answer"):
        disk.cut()
