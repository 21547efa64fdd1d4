"""Why a server ended: what its host lacked is never taken for what a crash did to its files."""

import os
import socket
import subprocess
from collections import namedtuple
from pathlib import Path

import pytest

from workers.errors import SandboxError, ServerEnded
from workers.sandbox import logs
from workers.sandbox.room import Room
from workers.sandbox.server import Sandbox
from workers.sandbox.users import User

ROOM = namedtuple("ROOM", "total used free")


@pytest.mark.parametrize(
    "said",
    [
        "[ERROR] InnoDB: preallocating 100663296 bytes for file ./ib_logfile101 failed with error 28",
        "[ERROR] InnoDB: Operating system error number 28 in a file operation.",
        "[ERROR] mariadbd: Error writing file './binlog.~rec~' (Errcode: 28 \"No space left on device\")",
        "[ERROR] Got error 28 from storage engine",
        "mysqld: Disk is full writing './binlog.000003' (OS errno 28 - No space left on device)",
        "[ERROR] InnoDB: Cannot allocate memory for the buffer pool",
        "[ERROR] InnoDB: Operating system error number 24 in a file operation.",
        "[ERROR] InnoDB: Unable to lock ./ibdata1 error: 11",
        "[ERROR] Can't open file: './mysql/db.frm' (errno: 13 - Permission denied)",
        "[ERROR] mariadbd: Can't create file './mysql/x.MAI' (errno: 24)",
        "[ERROR] mariadbd: Error writing file './binlog.000003' (Errcode: 12)",
        "[ERROR] InnoDB: Operating system error number 122 in a file operation.",
        "[ERROR] mariadbd: Error writing file './binlog.000003' (Errcode: 122 \"Disk quota exceeded\")",
    ],
)
def test_the_reason_names_what_the_host_lacked(said):
    assert logs.lacked_resource(said).startswith("the host lacked something (")


@pytest.mark.parametrize(
    "said",
    [
        "[ERROR] InnoDB: Database page corruption on disk or a failed file read of page [page id: space=0]",
        "[ERROR] Plugin 'InnoDB' init function returned error.",
        "[ERROR] mysqld: Table './mysql/user' is marked as crashed and should be repaired (errno: 145)",
        "[ERROR] InnoDB: Plugin initialization aborted with error Data structure corruption",
        "[ERROR] InnoDB: Missing MLOG_CHECKPOINT at 1228 between the checkpoint 2828 and the end 1328",
        "[ERROR] Got error 122 from storage engine",
        "[ERROR] Got error 11 from storage engine",
        "[ERROR] Table './a/t' (errno: 122 \"Internal (unspecified) error in handler\")",
        "[ERROR] InnoDB: Failed to read the log with error 30",
        "[ERROR] Got error code 13 when reading table './a/t'",
        "[ERROR] Error in Log_event::read_log_event(): 'read error', data_len: 128, event_type: 24",
    ],
)
def test_damage_is_not_taken_for_a_lack(said):
    assert logs.lacked_resource(said) == ""


def test_a_full_disk_is_seen_also_where_the_server_does_not_say_so(monkeypatch, tmp_path):
    """On a simulated disk whose host is full it says "error 5"."""
    said = "[ERROR] InnoDB: Operating system error number 5 in a file operation."
    assert logs.lacked_resource(said, tmp_path) == ""
    monkeypatch.setattr(logs.shutil, "disk_usage", lambda folder: ROOM(1 << 30, 1 << 30, 5 << 20))
    assert logs.lacked_resource(said, tmp_path) == "the disk is full (5 MiB are free)"
    assert logs.lacked_resource(said, tmp_path / "gone") == ""


def test_the_reason_names_the_signal():
    assert logs.how_it_ended(-9) == "it was ended by signal 9 (SIGKILL)"
    assert logs.how_it_ended(1) == "it ended with status 1"


class Process:
    """Ends never, or with a status."""

    pid = 1

    def __init__(self, status):
        self.status, self.waited_s = status, 0.0

    @property
    def returncode(self):
        return self.status

    def poll(self):
        return self.status

    def kill(self):
        pass

    def wait(self, timeout):
        self.waited_s += timeout
        if self.status is None:
            raise subprocess.TimeoutExpired("mysqld", timeout)
        return self.status


@pytest.fixture
def server(tmp_path):
    """Never started; its folder and data are there."""
    (tmp_path / "data").mkdir()
    return Sandbox(Path("/"), tmp_path, None, None, "box", tmp_path / "data")


def test_a_server_that_no_kill_ends_is_not_waited_for_for_ever(server):
    server._process = Process(None)
    with pytest.raises(SandboxError, match="did not end within 30 s of a kill"):
        server.kill()
    assert server._process.waited_s == 30


@pytest.mark.parametrize(
    ("status", "said", "kind", "why"),
    [
        (1, "[ERROR] InnoDB: corrupt", ServerEnded, "it ended with status 1"),
        (-6, "[ERROR] InnoDB: corrupt", ServerEnded, "it was ended by signal 6 (SIGABRT)"),
        (-9, "", SandboxError, "it was ended by signal 9 (SIGKILL)"),
        (1, "[ERROR] InnoDB: failed with error 28", SandboxError, "the host lacked something (error 28)"),
    ],
)
def test_the_reason_names_the_cause(server, status, said, kind, why):
    server._process = Process(status)
    (server.folder / "error.log").write_text(said + "\n")
    told = server._ended()
    assert type(told) is kind and f"did not start: {why}. Its error log ends with: " in told.message
    assert server.lacks() == ("" if kind is ServerEnded else why)


@pytest.mark.parametrize("gone", ["data", "."])
def test_a_folder_that_is_gone_is_named(server, gone):
    folder = (server.folder / gone).resolve()
    (server.folder / "data").rmdir()
    if gone == ".":
        server.folder.rmdir()
    with pytest.raises(SandboxError, match=f"its folder {folder} is gone"):
        server._start({})


def test_a_start_that_takes_too_long_is_named(server, monkeypatch):
    server._process = Process(None)
    monkeypatch.setattr(server, "_answers", lambda limit_s: False)
    monkeypatch.setattr("workers.sandbox.server.START_TIMEOUT_S", 0)
    with pytest.raises(SandboxError, match="did not start: its recovery took longer than 0 s"):
        server._wait_until_up("recovery")


def test_a_server_that_accepts_and_says_nothing_is_not_waited_for_for_ever(server, monkeypatch):
    server._process = Process(None)
    server._room = Room(server.folder, User("ours", os.geteuid(), os.getegid(), switch=False))
    (server.folder / "run").mkdir()
    monkeypatch.setattr("workers.sandbox.server.START_TIMEOUT_S", 0.1)
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(server.folder / "run" / "sock"))
        silent.listen()
        with pytest.raises(SandboxError, match=r"did not start: its start took longer than 0\.1 s"):
            server._wait_until_up("start")
        silent.accept()[0].close()  # it was asked


def test_a_server_may_wait_a_minute_before_it_stops(server):
    """MySQL's applier waits so long for the rest of a transaction of which it received a part."""

    class Slow(Process):
        def terminate(self):
            pass

        def wait(self, timeout):
            if timeout <= 60:
                raise subprocess.TimeoutExpired("mysqld", timeout)
            return 0

    server._process = Slow(None)
    server.stop()
    assert server._stopped_cleanly
