"""The probe of a real device."""

import os
import subprocess
import time

import pytest

from workers.errors import SandboxError
from workers.metrics.device_probe import SIZES, probe


def test_the_probe_measures_every_size_both_ways_in_three_seconds(sandbox_root):
    began = time.monotonic()
    found = probe(sandbox_root)
    assert time.monotonic() - began < 3
    assert [(flush.way, flush.size_bytes) for flush in found.flushes] == [
        (way, size) for way in ("append", "overwrite") for size in SIZES
    ]
    for flush in found.flushes:
        assert flush.n >= 1
        assert 0 < flush.p50_ms <= flush.p95_ms <= flush.p99_ms <= flush.max_ms
        assert flush.mean_ms <= flush.max_ms
    assert found.flushes[0].size_bytes == SIZES[0]


def test_the_probe_leaves_no_file_behind(tmp_path):
    probe(tmp_path, sizes=(4096,), seconds_each=0.01)
    assert list(tmp_path.iterdir()) == []


def test_a_device_made_5_ms_slower_is_measured_5_ms_slower(tmp_path, monkeypatch):
    """A device made 5 ms slower is seen to be 5 ms slower."""
    flush = os.fdatasync
    monkeypatch.setattr(os, "fdatasync", lambda fd: (time.sleep(0.005), flush(fd)))
    found = probe(tmp_path, sizes=(4096,), seconds_each=0.1)
    assert all(flush.p50_ms >= 5 for flush in found.flushes)


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting needs root")
def test_a_full_disk_is_reported(tmp_path):
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "durascope-test", tmp_path], check=True)
    try:
        with pytest.raises(SandboxError, match="No space left"):
            probe(tmp_path, seconds_each=0.02)
        assert list(tmp_path.iterdir()) == []
    finally:
        subprocess.run(["umount", tmp_path], check=True)


def test_a_missing_folder_is_reported(tmp_path):
    with pytest.raises(SandboxError, match="No such file"):
        probe(tmp_path / "absent")
