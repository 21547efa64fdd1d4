"""What a file of a server is for, by its name; and which extent holds a block."""

import pytest

from workers.sandbox.disk.recording.filemap import FILE_SYSTEM, BlockPlace, Extent, FileMap

FILES = {
    "data/ib_logfile0": "redo",
    "data/#innodb_redo/#ib_redo12": "redo",
    "redo/ib_logfile1": "redo",
    "data/.rocksdb/000012.log": "redo",
    "data/.rocksdb/000012.sst": "other file",
    "data/binlog.000002": "binlog",
    "data/binlog.index": "other file",
    "data/host-relay-bin.000003": "relay log",
    "data/#ib_16384_0.dblwr": "doublewrite",
    "data/undo_001": "undo",
    "data/durascope/t.ibd": "data",
    "data/aria_log.00000001": "other file",
}


@pytest.mark.parametrize(("path", "role"), FILES.items())
def test_a_file_has_its_role(path, role):
    assert BlockPlace(path, 0).role == role


def test_the_doublewrite_buffer_lies_inside_of_ibdata1():
    roles = [BlockPlace("data/ibdata1", page * 16384).role for page in (0, 63, 64, 191, 192)]
    assert roles == ["data", "data", "doublewrite", "doublewrite", "data"]


def test_the_first_map_wins_and_the_second_knows_what_is_gone():
    now, before = [Extent(10, 4, 8192, "now")], [Extent(12, 4, 0, "before"), Extent(2, 1, 0, "binlog.000001")]
    files = FileMap(now, before)
    assert files.place(9) is None
    assert files.place(12) == BlockPlace("now", 8192 + 2 * 4096)
    assert files.place(14) == BlockPlace("before", 2 * 4096)
    assert [files.role(block) for block in (2, 3, 16)] == ["binlog", FILE_SYSTEM, FILE_SYSTEM]
