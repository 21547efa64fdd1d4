"""A real server whose flushes go nowhere, as under eatmydata: the sources contradict each other. The sources of an
honest server do not."""

import subprocess
from dataclasses import asdict
from pathlib import Path

import pytest

from dashboard.findings.contradictions import LOGS, counts
from dashboard.findings.point import Figures
from dashboard.installation import stored
from tests.real.wider import Wider
from workers.analysis.contradiction import FlushReports, contradictions
from workers.metrics.device_probe import probe
from workers.metrics.fsync_trace import FsyncTrace
from workers.metrics.source import Subject
from workers.metrics.status_counters import StatusCounters
from workers.sandbox.server import Sandbox
from workers.servers import ask
from workers.servers.connection import connect
from workers.servers.look import read

COMMITS = 200
SETTINGS = {"log_bin": "ON", "sync_binlog": "1", "innodb_flush_log_at_trx_commit": "1"}
SOURCE = Path(__file__).with_name("swallow_fsync.c")


class Above(Wider):
    """The library lies above the trace: no flush arrives there."""

    def _preloaded(self, preload):
        return ":".join(map(str, (*self.more, *filter(None, [preload]))))


class Below(Above):
    """The trace sees each call, and the library answers it."""

    def _preloaded(self, preload):
        return ":".join(map(str, (*filter(None, [preload]), *self.more)))


@pytest.fixture(scope="module")
def library(sandbox_root):
    file = sandbox_root / "swallow_fsync.so"
    subprocess.run(["gcc", "-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-o", file, SOURCE], check=True)
    file.chmod(0o755)
    return file


def told(sandbox):
    """Contradictions of redo log and binlog over some commits."""
    with connect(sandbox.target) as connection:
        ask.rows(connection, "CREATE DATABASE durascope_s")
        ask.rows(connection, "CREATE TABLE durascope_s.t (id INT PRIMARY KEY AUTO_INCREMENT)")
        subject = Subject(connection, read(connection), sandbox.trace_file)
        sessions = [source.open(subject) for source in (FsyncTrace(), StatusCounters())]
        for session in sessions:
            session.begin()
        for _ in range(COMMITS):
            ask.rows(connection, "INSERT INTO durascope_s.t VALUES ()")
        readings = [session.end() for session in sessions]
    device_ms = min(one.p50_ms for one in probe(sandbox.datadir.parent, seconds_each=0.1).flushes)
    figures = stored.read(Figures, [asdict(one) for reading in readings for one in reading.figures])
    return [said for files in LOGS for said in contradictions(files, _flushes(files, figures, readings[0], device_ms))]


def _flushes(files, figures, traced, device_ms):
    timed = next((one for one in traced.latencies if one.files == files), None)
    mean_ms = timed.total_ms / timed.calls if timed else None
    return FlushReports(counts([figures], files), COMMITS, mean_ms, device_ms)


def test_a_library_above_the_trace_swallows_what_the_server_counts(sandbox_root, library):
    with Sandbox.create(sandbox_root, Above.of_the_system(library), SETTINGS, name="above") as sandbox:
        said = told(sandbox)
    assert {one.split(" per commit")[0] for one in said} == {
        f"trace:fsync saw 0 flushes of the {files}" for files in ("binlog", "redo and data")
    }


def test_a_library_below_the_trace_answers_faster_than_the_device(sandbox_root, library):
    with Sandbox.create(sandbox_root, Below.of_the_system(library), SETTINGS, name="below") as sandbox:
        said = told(sandbox)
    assert len(said) == 2
    assert all("the fastest flush of the probe on this device took" in one for one in said)


def test_an_honest_server_contradicts_nothing(make_sandbox):
    assert told(make_sandbox(SETTINGS, name="honest")) == []
