"""Children belong to the right user and are known by pid and start time."""

import os
import signal
import subprocess
import time

import pytest

from workers.errors import SandboxError
from workers.sandbox import process

IS_ROOT = os.geteuid() == 0


def test_it_knows_when_a_process_began():
    assert process.start_time(os.getpid()) > 0
    assert process.start_time(2**22 + 1) is None


def test_it_takes_a_zombie_for_dead():
    child = subprocess.Popen(["true"])
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert process.start_time(child.pid) is None
    child.wait()


def test_it_reads_past_odd_names(tmp_path):
    """The name in /proc/PID/stat may hold blanks and brackets."""
    program = tmp_path / "a) R 1 (b"
    program.symlink_to("/bin/sleep")
    child = subprocess.Popen([program, "60"])
    try:
        assert process.start_time(child.pid) >= process.start_time(os.getpid())
    finally:
        child.kill()
        child.wait()


@pytest.mark.skipif(not IS_ROOT, reason="only root becomes somebody else")
def test_it_becomes_an_unprivileged_user():
    assert process.unprivileged_user("nobody").setpriv[1].startswith("--reuid=")
    with pytest.raises(SandboxError, match="does not run as root"):
        process.unprivileged_user("root")
    with pytest.raises(SandboxError, match="no user nosuchuser"):
        process.unprivileged_user("nosuchuser")


def test_it_stays_itself_without_root(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 65534)
    user = process.unprivileged_user()
    assert not user.switch
    assert user.setpriv == ["setpriv", "--pdeathsig=KILL", "--"]


def test_it_passes_arguments_without_a_shell(tmp_path):
    output = tmp_path / "out"
    user = process.User("me", os.getuid(), os.getgid(), switch=False)
    child = process.start(["printf", "%s|", "$HOME; id"], user, env={"PATH": os.defpath}, cwd=tmp_path, output=output)
    assert child.wait() == 0
    assert output.read_text() == "$HOME; id|"


def test_it_sees_when_a_process_is_at_rest():
    with subprocess.Popen(["sleep", "60"]) as sleeper:
        assert not process.at_rest(sleeper.pid)
        sleeper.send_signal(signal.SIGSTOP)
        deadline = time.monotonic() + 5
        while not process.at_rest(sleeper.pid) and time.monotonic() < deadline:
            time.sleep(0.001)
        assert process.at_rest(sleeper.pid)
        sleeper.kill()
    assert not process.at_rest(sleeper.pid)
