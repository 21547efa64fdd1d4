"""The disk of an archived crash point, and the bound of its size."""

import os
from types import SimpleNamespace

import pytest

from tests.unit.crash.recorded_states import LOST, state
from workers.crash.points.export import write
from workers.crash.points.export.write import FOLDER, keep, write_image
from workers.crash.points.violations import Violation
from workers.errors import SandboxError
from workers.sandbox.disk.image import BLOCK_BYTES

BLOCKS = 1000


def block(letter):
    return letter * BLOCK_BYTES


def test_the_image_is_the_base_with_the_blocks_of_the_state(tmp_path):
    base = tmp_path / "base"
    base.write_bytes(block(b"b") + bytes((BLOCKS - 1) * BLOCK_BYTES))
    write_image(tmp_path / "image", base, {1: block(b"x"), 999: memoryview(block(b"y"))})
    image = (tmp_path / "image").read_bytes()
    assert image == block(b"b") + block(b"x") + bytes(997 * BLOCK_BYTES) + block(b"y")
    assert base.read_bytes()[BLOCK_BYTES : 2 * BLOCK_BYTES] == bytes(BLOCK_BYTES)
    assert (tmp_path / "image").stat().st_blocks * 512 < BLOCKS * BLOCK_BYTES / 10


def test_an_archive_that_is_too_large_is_not_kept(tmp_path, monkeypatch):
    (tmp_path / FOLDER).mkdir()
    (tmp_path / FOLDER / "disk.img").write_bytes(os.urandom(1 << 20))
    assert len(write.packed(tmp_path, FOLDER)) > 1 << 20
    monkeypatch.setattr(write, "MOST_BYTES", 1 << 19)
    with pytest.raises(SandboxError, match="are kept at most"):
        write.packed(tmp_path, FOLDER)


def test_a_crash_point_of_two_servers_has_no_archive_and_says_why():
    pair = SimpleNamespace(replica=object(), timeline=SimpleNamespace(tell=lambda step: None))
    violation = Violation(state(0.2, LOST, lost=3), SimpleNamespace(state=None), frozenset({"replica"}))
    (point,), archives = keep(pair, None, [violation])
    assert archives == {} and point.n_bytes == 0
    assert "follows its primary again" in point.lacks and "Repeat the trial" in point.lacks
