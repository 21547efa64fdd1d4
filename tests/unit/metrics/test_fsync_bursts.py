"""What a sweep by size writes: whole pages, one flush after the other. Nothing here asks a clock or a device."""

import os
from collections import defaultdict

import pytest

from workers.metrics import fsync_sweep
from workers.metrics.fsync_sweep import PAGE_BYTES, SIZES, sweep


@pytest.fixture
def written(tmp_path, monkeypatch):
    """(bytes, offset, size of the file before) of each write, on a device that takes no time."""
    seen: list[tuple[int, int, int]] = []

    def timed(fd, block, offset):
        seen.append((len(block), offset, os.fstat(fd).st_size))
        os.pwrite(fd, block, offset)
        return 0.001

    monkeypatch.setattr(fsync_sweep, "durable_ms", timed)
    monkeypatch.setattr(fsync_sweep, "MOST_ROUNDS", fsync_sweep.LEAST_ROUNDS)
    found = sweep(tmp_path, seconds=60)
    return found, seen


def pages(size, offset):
    return (offset + size - 1) // PAGE_BYTES - offset // PAGE_BYTES + 1


def test_no_block_makes_more_pages_dirty_than_its_bytes_fill(written):
    _, seen = written
    assert [one for one in seen if pages(one[0], one[1]) != -(-one[0] // PAGE_BYTES)] == []


def test_every_round_has_one_value_of_each_size_and_way(written):
    found, _ = written
    assert [(one.way, one.size_bytes) for one in found.times] == [
        (way, size) for way in ("append", "overwrite") for size in SIZES
    ]
    assert {len(one.times_ms) for one in found.times} == {fsync_sweep.LEAST_ROUNDS}


def test_appends_let_the_file_grow_and_overwrites_do_not(written):
    _, seen = written
    grew = defaultdict(set)
    for size, offset, before in seen:
        grew[size].add(offset + size > before)
    assert all(ways == {True, False} for ways in grew.values())


def test_the_file_never_outgrows_its_region(written):
    _, seen = written
    assert max(offset + size for size, offset, _ in seen) <= fsync_sweep.REGION_BYTES
