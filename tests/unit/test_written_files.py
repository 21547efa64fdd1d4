"""Files that a command writes: whole or not at all."""

import io

import pytest

from dashboard.commands.files import write_new
from workers.errors import PlanError


def test_a_full_disk_leaves_no_half_written_file(tmp_path, monkeypatch):
    def full(self: io.BufferedWriter, content: bytes) -> int:
        self.raw.write(content[:2])
        raise OSError(28, "No space left on device")

    opened = type("Full", (io.BufferedWriter,), {"write": full})
    monkeypatch.setattr("pathlib.Path.open", lambda path, mode: opened(io.FileIO(path, mode)))
    with pytest.raises(PlanError, match=r"No space left on device\. Nothing was written"):
        write_new(tmp_path / "new", b"content")
    assert not list(tmp_path.iterdir())


def test_an_existing_file_stays(tmp_path):
    (tmp_path / "old").write_text("mine")
    with pytest.raises(PlanError, match=r"File exists\. Nothing was written"):
        write_new(tmp_path / "old", b"content")
    assert (tmp_path / "old").read_text() == "mine"
