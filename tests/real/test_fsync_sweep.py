"""Time by size on real devices: the host's, and a simulated one whose K and R are known."""

import os
import subprocess

import pytest

from tests.real.disks import needs_disk
from workers.analysis import fsync_model
from workers.errors import SandboxError
from workers.metrics.fsync_sweep import LEAST_ROUNDS, SIZES, sweep
from workers.sandbox.disk.volatile import VolatileDisk


def model(found, way):
    return fsync_model.fit(
        [fsync_model.SizeSample(one.size_bytes, one.times_ms) for one in found.times if one.way == way]
    )


def test_the_sweep_measures_every_size_on_the_hosts_disk(sandbox_root):
    found = sweep(sandbox_root, seconds=3)
    for way in ("append", "overwrite"):
        mine = [one for one in found.times if one.way == way]
        assert [one.size_bytes for one in mine] == [size for size in SIZES if size not in found.left_out]
        assert {len(one.times_ms) for one in mine} == {len(mine[0].times_ms)}
        assert len(mine[0].times_ms) >= LEAST_ROUNDS
        assert all(ms > 0 for one in mine for ms in one.times_ms)
    assert [file for file in sandbox_root.iterdir() if "sweep" in file.name] == []


def is_found(overwrite, append):
    """K within 15 per cent, R within 20. An overwrite is one flush, an append two."""
    return (
        overwrite.k_ms.value == pytest.approx(50, rel=0.15)
        and 1 / overwrite.ms_per_byte.value == pytest.approx(10_000, rel=0.2)
        and append.k_ms.value == pytest.approx(100, rel=0.15)
        and overwrite.follows != "does not follow"
    )


@needs_disk
def test_the_sweep_finds_the_k_and_r_of_a_simulated_disk(sandbox_root):
    """Other processes on the same processors can only make a flush longer: one sweep of three must be right."""
    models = []
    with VolatileDisk.create(sandbox_root / "live" / "sweep", 128 << 20) as disk:
        disk.storage(50_000, 10)
        while len(models) < 3 and not (models and is_found(*models[-1])):
            found = sweep(disk.mnt, seconds=8)
            models.append((model(found, "overwrite"), model(found, "append")))
    assert is_found(*models[-1]), models


def test_a_size_too_slow_for_the_time_given_ends_the_ladder(tmp_path, monkeypatch):
    monkeypatch.setattr("workers.metrics.fsync_sweep.durable_ms", lambda fd, block, offset: _pretend(fd, block, offset))
    found = sweep(tmp_path, seconds=0.1)
    assert found.left_out == SIZES[SIZES.index(1 << 20) :]
    assert {one.size_bytes for one in found.times} == set(SIZES) - set(found.left_out)


def _pretend(fd, block, offset):
    """A device of 100 MB/s that takes no time."""
    os.pwrite(fd, block, offset)
    return len(block) / 1e5


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting needs root")
def test_a_full_disk_is_reported(tmp_path):
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "durascope-test", tmp_path], check=True)
    try:
        with pytest.raises(SandboxError, match="No space left"):
            sweep(tmp_path, seconds=1)
        assert list(tmp_path.iterdir()) == []
    finally:
        subprocess.run(["umount", tmp_path], check=True)


def test_a_missing_folder_is_reported(tmp_path):
    with pytest.raises(SandboxError, match="No such file"):
        sweep(tmp_path / "absent")
