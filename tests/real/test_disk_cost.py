"""What an fsync of a file costs: K + N/R for every flush it takes, within 10 per cent."""

import os
import statistics
import time

import pytest

from tests.real.disks import BLOCK_BYTES, direct, flushed_file, needs_disk
from workers.sandbox.disk.volatile import VolatileDisk

pytestmark = needs_disk
ROUNDS = 21


@pytest.fixture(scope="module")
def disk(sandbox_root):
    with VolatileDisk.create(sandbox_root / "live" / "cost", 256 << 20) as made:
        yield made


def fdatasync_s(fd: int) -> float:
    began = time.perf_counter()
    os.fdatasync(fd)
    return time.perf_counter() - began


def overwrite_s(disk, blocks: int = 1) -> float:
    """Median: a busy machine makes a few of them longer."""
    with direct(flushed_file(disk.mnt / "overwritten", 64)) as write:

        def sync(number: int) -> float:
            for block in range(blocks):
                fd = write(block, bytes([number + 1]))
            return fdatasync_s(fd)

        return statistics.median(map(sync, range(ROUNDS)))


def append_s(disk) -> float:
    with (disk.mnt / "appended").open("ab", buffering=0) as file:

        def sync(_: int) -> float:
            file.write(b"x" * BLOCK_BYTES)
            return fdatasync_s(file.fileno())

        return statistics.median(map(sync, range(ROUNDS)))


@pytest.mark.parametrize("k_ms", [2, 5, 10])
def test_an_overwrite_costs_one_flush(disk, k_ms):
    disk.storage(1000 * k_ms)
    before = disk.stats().flushes
    assert overwrite_s(disk) == pytest.approx(k_ms / 1000, rel=0.1)
    prepared = 2  # flushed_file appends
    assert disk.stats().flushes - before - ROUNDS <= prepared + 1


def test_an_append_costs_two_flushes(disk):
    disk.storage(5000)
    before = disk.stats().flushes
    assert append_s(disk) == pytest.approx(2 * 0.005, rel=0.1)
    assert disk.stats().flushes - before == pytest.approx(2 * ROUNDS, abs=3)


def test_bytes_cost_time_at_a_limited_rate(disk):
    """2 ms + 48 blocks of 4096 bytes at 20 bytes per microsecond: 11.8 ms."""
    disk.storage(2000, 20)
    assert overwrite_s(disk, blocks=48) == pytest.approx(0.002 + 48 * BLOCK_BYTES / 20e6, rel=0.1)


def test_the_cost_can_be_changed_while_it_runs(disk):
    disk.storage(20_000)
    slow = overwrite_s(disk)
    disk.storage(0)
    assert overwrite_s(disk) < 0.002 < 0.018 < slow
    assert disk.stats().k_us == 0


def test_its_own_statistics_tell_the_cost(disk):
    disk.storage(4000)
    before = disk.stats()
    overwrite_s(disk)
    after = disk.stats()
    per_flush_us = (after.flush_ns - before.flush_ns) / (after.flushes - before.flushes) / 1000
    assert per_flush_us == pytest.approx(4000, rel=0.1)
