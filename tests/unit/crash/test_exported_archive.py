"""The disk of an archived crash point, and the bound of its size."""

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.unit.crash.recorded_states import LOST, state
from workers.crash.points.export import write
from workers.crash.points.export.write import FOLDER, files_of_replica, keep, write_image
from workers.crash.points.violations import Violation
from workers.errors import SandboxError
from workers.sandbox.builds import Build
from workers.sandbox.builds.layout import Layout
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
    monkeypatch.setattr(write, "MOST_BYTES", 1 << 20)
    with pytest.raises(SandboxError, match="The archive has 1 MiB; 1 MiB are kept at most"):
        write.packed(tmp_path, FOLDER)


def test_a_crash_point_that_cannot_be_written_is_told_without_an_archive(tmp_path):
    load = SimpleNamespace(
        setup=SimpleNamespace(root=tmp_path / "none"), timeline=SimpleNamespace(tell=lambda step: None)
    )
    (tmp_path / "none").write_text("a file where a folder must be made")
    violation = Violation(state(0.2, LOST, lost=3), SimpleNamespace(state=None), frozenset({"replica"}))
    (point,), archives = keep(load, None, [violation])
    assert archives == {} and point.n_bytes == 0
    assert "could not be kept" in point.lacks and "Not a directory" in point.lacks


@pytest.mark.parametrize(
    ("flavour", "version", "says"),
    [
        ("mariadb", (10, 11, 19), ("CHANGE MASTER TO", "MASTER_USE_GTID = slave_pos", "SHOW SLAVE STATUS")),
        ("mysql", (8, 0, 33), ("CHANGE REPLICATION SOURCE TO", "SOURCE_AUTO_POSITION = 1", "SHOW REPLICA STATUS")),
    ],
)
def test_the_words_of_a_replica_are_those_of_its_server(flavour, version, says):
    build = Build("made-up", "", flavour, version, Layout(Path("/opt/bin/mysqld")))
    files = files_of_replica(build, {"sync_binlog": "0"})
    command, by_gtid, status = says
    assert files["point.sql"].startswith(command) and by_gtid in files["point.sql"] and status in files["follow.sh"]
    assert files["replica.cnf"].splitlines()[0] == "[mysqld]" and "sync_binlog=0" in files["replica.cnf"]
    assert "{" not in files["login.sql"] + files["source.sql"] + files["point.sql"] and "@PORT@" in files["point.sql"]
