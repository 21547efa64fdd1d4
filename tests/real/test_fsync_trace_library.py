"""The compiled library, preloaded into a small program whose calls are known."""

import subprocess
import sys
from pathlib import Path

import pytest

from workers.errors import SandboxError
from workers.metrics import fsync_table
from workers.metrics.fsync_table import FsyncTable

PROGRAM = Path(__file__).with_name("fsync_calls.py")


@pytest.fixture(scope="module")
def counts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("trace")
    library, table = fsync_table.library(folder / "cache"), folder / "table"
    table.write_bytes(fsync_table.empty())
    env = {"LD_PRELOAD": str(library), "FSYNCTRACE_TABLE": str(table)}
    subprocess.run([sys.executable, "-I", PROGRAM, folder], env=env, check=True)
    return {(Path(path).name, call): count for (path, call), count in FsyncTable(table).counts().items()}


def test_calls_are_counted_by_file(counts):
    assert counts["a", "fsync"].calls == 3
    assert counts["a", "fdatasync"].calls == 2
    assert counts["b", "fsync"].calls == 1
    assert counts["[memory map]", "msync"].calls == 1


def test_files_that_share_a_descriptor_one_after_the_other_are_told_apart(counts):
    """Closed, deleted and another made: the same descriptor and often the same inode."""
    assert [counts[f"reused{i}", "fsync"].calls for i in range(20)] == [1] * 20


def test_calls_from_many_threads_are_counted(counts):
    assert counts["threads", "fdatasync"].calls == 8 * 50


def test_errors_are_counted_and_passed_on(counts):
    assert counts["", "fsync"].errors == counts["", "fsync"].calls == 1


def test_every_counted_call_is_timed(counts):
    for count in counts.values():
        assert sum(count.buckets) == count.calls
        assert 0 < count.max_ns <= count.total_ns
        top = max(power for power, calls in enumerate(count.buckets) if calls)
        assert 2**top * 500 < count.max_ns + 1000 <= 2**top * 1000 + 1000


def test_counts_stay_exact_when_the_table_is_full(tmp_path):
    library, table = fsync_table.library(tmp_path / "cache"), tmp_path / "table"
    table.write_bytes(fsync_table.empty())
    env = {"LD_PRELOAD": str(library), "FSYNCTRACE_TABLE": str(table)}
    subprocess.run([sys.executable, "-I", PROGRAM, tmp_path, "1500"], env=env, check=True)
    counts = FsyncTable(table).counts()
    assert sum(count.calls for count in counts.values()) == 1500
    assert counts["", "fsync"].calls == 1500 - (fsync_table.SLOTS - 1)


def test_a_program_without_a_table_is_left_alone(tmp_path):
    env = {"LD_PRELOAD": str(fsync_table.library(tmp_path)), "FSYNCTRACE_TABLE": str(tmp_path / "absent")}
    assert subprocess.run([sys.executable, "-I", "-c", "import os; os.fsync(2)"], env=env, stderr=-3).returncode in (
        0,
        1,
    )


def test_the_library_is_compiled_once(tmp_path):
    first = fsync_table.library(tmp_path)
    made = first.stat().st_mtime_ns
    assert fsync_table.library(tmp_path) == first
    assert first.stat().st_mtime_ns == made
    assert list(tmp_path.iterdir()) == [first]


def test_a_library_that_does_not_compile_is_reported(tmp_path, monkeypatch):
    broken = tmp_path / "broken.c"
    broken.write_text("int fsync(")
    monkeypatch.setattr(fsync_table, "SOURCE", broken)
    with pytest.raises(SandboxError, match="did not compile"):
        fsync_table.library(tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_missing_compiler_is_reported_with_its_package(monkeypatch):
    assert fsync_table.missing() == ""
    monkeypatch.setenv("PATH", "")
    assert "apt-get install gcc" in fsync_table.missing()
