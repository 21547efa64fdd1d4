"""A full disk and a damaged database are told before anything is started."""

import errno
import re
import sqlite3
import subprocess
from collections import namedtuple

import pytest

from dashboard.installation import usable
from dashboard.local import stack
from workers import celery
from workers.upkeep import start_check

ROOM = namedtuple("ROOM", "total used free")


def test_a_usable_folder_is_left_as_it_is(tmp_path):
    usable.check(tmp_path, tmp_path / "new.sqlite3")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def full(monkeypatch):
    monkeypatch.setattr(usable.shutil, "disk_usage", lambda folder: ROOM(1 << 30, 1 << 30, 3 << 20))


def test_a_full_disk_is_named(tmp_path, full):
    with pytest.raises(usable.Unusable, match=r"is full: 3 MiB are free\. Nothing was started"):
        usable.check(tmp_path)


@pytest.mark.parametrize(("options", "says"), [
    ("size=4k", "is full (No space left on device). Nothing was started. Make room."),
    ("ro", "cannot be written to (Read-only file system). Nothing was started. Make it writable."),
])  # fmt: skip
def test_a_disk_that_takes_no_file_is_seen_by_writing(tmp_path, monkeypatch, options, says):
    if subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", tmp_path], capture_output=True).returncode:
        pytest.skip("a disk can be mounted by root only")
    try:
        if options != "ro":
            (tmp_path / "all").write_bytes(bytes(4096))
        monkeypatch.setattr(usable.shutil, "disk_usage", lambda folder: ROOM(1 << 30, 0, 1 << 30))
        with pytest.raises(usable.Unusable, match=re.escape(says)):
            usable.check(tmp_path)
    finally:
        subprocess.run(["umount", tmp_path], check=True)


def test_each_part_says_so(full, tmp_path, capsys, db):
    with pytest.raises(usable.Unusable, match="is full"), stack.running(tmp_path, "127.0.0.1", None, print):
        pytest.fail("it was started")
    with pytest.raises(usable.Unusable, match="is full"):
        start_check.check("local")
    for part in (celery._on_beat, usable.check_or_exit):
        with pytest.raises(SystemExit) as ended:
            part()
        assert ended.value.code == 2 and "is full" in capsys.readouterr().err


@pytest.mark.parametrize("damage", ["no database at all", "a damaged page"])
def test_a_damaged_database_is_named_and_left_alone(tmp_path, damage):
    file = tmp_path / "db#1?.sqlite3"
    link = sqlite3.connect(file)
    link.execute("CREATE TABLE t (a)")
    link.commit()
    link.close()
    usable.check(tmp_path, file)
    whole = file.read_bytes()
    broken = (
        b"no database at all" * 512 if damage == "no database at all" else whole[:100] + b"\xff" * (len(whole) - 100)
    )
    file.write_bytes(broken)
    with pytest.raises(usable.Unusable, match="is damaged"):
        usable.check(tmp_path, file)
    assert file.read_bytes() == broken


@pytest.mark.parametrize(
    ("failure", "says"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "The disk is full"),
        (sqlite3.OperationalError("database or disk is full"), "The disk is full"),
        (sqlite3.DatabaseError("database disk image is malformed"), "The database is damaged"),
        (ValueError("malformed address"), ""),
        (OSError(errno.EACCES, "Permission denied"), ""),
    ],
)
def test_a_known_error_is_explained_when_it_is_the_cause_of_another(failure, says):
    assert usable.explained(failure).startswith(says) and bool(usable.explained(failure)) == bool(says)
    wrapped = RuntimeError("while something else was done")
    wrapped.__cause__ = failure
    assert bool(usable.explained(wrapped)) == bool(says)
