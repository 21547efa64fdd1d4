"""A temporary file or folder is removed by whoever uses it, else by the next sweep, and never while it is used."""

import os
import signal
import subprocess
import sys

import pytest

from workers.host import temporary


@pytest.fixture
def where(tmp_path, monkeypatch):
    monkeypatch.setattr(temporary.tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(temporary, "YOUNG_S", -1)
    return tmp_path


def test_the_folder_and_the_file_are_removed_at_the_end(where):
    with temporary.folder("tls") as folder, temporary.file(where, "probe") as fd:
        (folder / "key.pem").write_text("k")
        os.write(fd, b"x")
        assert len(list(where.iterdir())) == 2
    assert list(where.iterdir()) == []


def test_files_in_use_are_not_swept(where):
    with temporary.folder("tls"), temporary.file(where, "probe"):
        assert temporary.sweep([where]) == []
        assert len(list(where.iterdir())) == 2


KILLED = """
import sys, time
from pathlib import Path
from workers.host import temporary
where = Path(sys.argv[1])
temporary.tempfile.tempdir = str(where)
with temporary.folder("tls") as folder, temporary.file(where, "probe"):
    (folder / "key.pem").write_text("k")
    print("ready", flush=True)
    time.sleep(600)
"""


def test_files_of_a_killed_process_are_swept(where):
    process = subprocess.Popen([sys.executable, "-c", KILLED, where], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    assert temporary.sweep([where]) == []
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert len(temporary.sweep([where])) == 2
    assert list(where.iterdir()) == []


def test_files_with_similar_names_are_not_swept(where, tmp_path):
    """The folder of our own Redis has a similar name."""
    (where / "durascope-0-abc").mkdir()
    (where / "durascope.txt").write_text("mine")
    target = where / "target"
    target.mkdir()
    (where / "durascope-tls-link").symlink_to(target)
    os.mkfifo(where / ".durascope-probe-fifo")
    temporary.sweep([where])
    assert target.is_dir() and (where / "durascope-0-abc").is_dir() and (where / "durascope.txt").exists()
    assert (where / "durascope-tls-link").is_symlink()


def test_new_files_are_not_swept(where, monkeypatch):
    monkeypatch.setattr(temporary, "YOUNG_S", 60)
    (where / "durascope-tls-new").mkdir()
    assert temporary.sweep([where]) == []
