"""Children belong to the right user and are known by pid and start time."""

import os
import re
import signal
import subprocess
import time

import pytest

from workers.sandbox import door, process
from workers.sandbox.process import Fence
from workers.sandbox.users import User


def test_the_start_time_of_a_process_is_known():
    assert process.start_time(os.getpid()) > 0
    assert process.start_time(2**22 + 1) is None


def test_a_zombie_counts_as_dead():
    child = subprocess.Popen(["true"])
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert process.start_time(child.pid) is None
    child.wait()


def test_the_start_time_is_read_past_odd_names(tmp_path):
    """The name in /proc/PID/stat may hold blanks and brackets."""
    program = tmp_path / "a) R 1 (b"
    program.symlink_to("/bin/sleep")
    child = subprocess.Popen([program, "60"])
    try:
        assert process.start_time(child.pid) >= process.start_time(os.getpid())
    finally:
        child.kill()
        child.wait()


@pytest.fixture
def asked(tmp_path):
    """Returns what a program of a build prints that is asked as ourselves."""
    me = User("me", os.getuid(), os.getgid(), switch=False)
    return lambda *argv, limit_s=20.0, **env: process.ask(argv, me, Fence(), env, limit_s)


def test_arguments_pass_no_shell_and_only_the_given_environment(asked, monkeypatch):
    monkeypatch.setenv("DURASCOPE_SECRET", "x")
    assert asked("/usr/bin/printf", "%s|", "$HOME; id").said == "$HOME; id|"
    assert asked("/usr/bin/env", A="b=c").said.splitlines() == ["A=b=c"]


def test_a_program_that_never_ends_or_never_stops_printing_is_ended(asked):
    began = time.monotonic()
    assert asked("/bin/sleep", "60", limit_s=0.3).status is None
    assert time.monotonic() - began < 30
    began = time.monotonic()
    assert asked("/bin/sh", "-c", "sleep 0.6; exec sleep 60 >&- 2>&-", limit_s=1.0).status is None
    assert time.monotonic() - began < 1.5, "closing the output prolongs nothing"
    flood = asked("/usr/bin/yes")
    assert flood.status is None and len(flood.said) == process.MOST_BYTES


def test_a_program_that_cannot_be_started_is_reported(asked):
    answer = asked("/nonexistent/mysqld")
    assert answer.status == door.CANNOT_RUN and "No such file" in answer.said


def test_a_child_leaves_no_core_and_gets_no_new_privileges(asked):
    limits = asked("/bin/cat", "/proc/self/limits").said
    assert re.search(r"Max core file size +0 +0 ", limits)
    assert "NoNewPrivs:\t1" in asked("/bin/cat", "/proc/self/status").said


def test_a_stopped_process_is_seen_at_rest():
    with subprocess.Popen(["sleep", "60"]) as sleeper:
        assert not process.at_rest(sleeper.pid)
        sleeper.send_signal(signal.SIGSTOP)
        deadline = time.monotonic() + 5
        while not process.at_rest(sleeper.pid) and time.monotonic() < deadline:
            time.sleep(0.001)
        assert process.at_rest(sleeper.pid)
        sleeper.kill()
    assert not process.at_rest(sleeper.pid)
