"""A recording that was kept as one file is the same when it is unpacked."""

import os

import pytest

from tests.unit.sandbox.recordings import Written
from workers.errors import SandboxError
from workers.sandbox.disk.image import BLOCK_BYTES
from workers.sandbox.disk.recording import archive
from workers.sandbox.disk.recording.recording import BASE, Recording
from workers.sandbox.disk.recording.states import CrashPoint, States

BLOCKS = 20_000


def test_a_kept_recording_has_the_same_states(tmp_path):
    folder = tmp_path / "recorded"
    folder.mkdir()
    written = Written(folder, BLOCKS, base=b"b" * BLOCK_BYTES + bytes((BLOCKS - 1) * BLOCK_BYTES))
    written.write(5, b"x", 50)
    written.flush()
    before = written.load()
    os.truncate(folder / BASE, BLOCK_BYTES)  # the base has holes, as the copy of an image has
    os.truncate(folder / BASE, BLOCKS * BLOCK_BYTES)
    archive.keep(folder, tmp_path / "kept.tar.gz")
    assert (tmp_path / "kept.tar.gz").stat().st_size < 50 * BLOCK_BYTES / 10
    archive.unpack(tmp_path / "kept.tar.gz", tmp_path / "again")
    after = Recording.load(tmp_path / "again")
    assert after.log == before.log
    assert (after.base_block(0), after.base_block(1)) == (b"b" * BLOCK_BYTES, bytes(BLOCK_BYTES))
    last = CrashPoint(len(after.events))
    assert States(after).blocks(last) == States(before).blocks(last)
    assert (tmp_path / "again" / BASE).stat().st_blocks * 512 < BLOCKS * BLOCK_BYTES / 100


def test_another_file_is_refused(tmp_path):
    (tmp_path / "noise").write_bytes(b"x" * 1000)
    with pytest.raises(SandboxError, match="tar failed"):
        archive.unpack(tmp_path / "noise", tmp_path / "again")
