"""Children of the stack: readiness, stopping, dying with their parent, being started again."""

import os
import signal
import subprocess
import sys
import time

import pytest

from dashboard.installation.home import PROJECT
from dashboard.local import processes
from dashboard.local.errors import LocalError
from dashboard.local.processes import Child, Program, Supervisor

STUBBORN = ["bash", "-c", "trap '' TERM; echo deaf; while :; do sleep 0.05; done"]


@pytest.fixture
def program(tmp_path):
    def make(*argv, **more):
        return Program(name="part", argv=argv, cwd=tmp_path, log=tmp_path / "logs" / "part.log", **more)

    return make


@pytest.fixture
def child(program):
    started = []

    def start(*argv, **more):
        started.append(Child(program(*argv, **more)))
        return started[-1]

    yield start
    for each in started:
        each.stop(limit_s=0)


def gone(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def eventually(check, limit_s=5.0):
    deadline = time.monotonic() + limit_s
    while time.monotonic() < deadline:
        if check():
            return True
        time.sleep(0.02)
    return False


def test_children_have_a_locale_that_each_machine_has(child, tmp_path, monkeypatch):
    """A laptop whose LANG was never generated."""
    monkeypatch.setenv("LANG", "de_DE.UTF-8")
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    told = tmp_path / "locale"
    started = child("bash", "-c", "echo $LC_ALL >made; mv made locale; sleep 60", ready=lambda pid: told.exists())
    started.wait_until_ready()
    assert told.read_text() == "C.UTF-8\n"


def test_a_child_is_waited_for_until_ready(child, tmp_path):
    ready = tmp_path / "ready"
    child("bash", "-c", "sleep 0.2; touch ready; sleep 60", ready=lambda pid: ready.exists()).wait_until_ready()
    assert ready.exists()


def test_a_child_that_ends_at_once_is_reported_with_its_last_output(child):
    dying = child("bash", "-c", "echo no such engine >&2; exit 3", ready=lambda pid: False)
    with pytest.raises(LocalError, match=r"part ended at once with status 3.*part\.log(.|\n)*no such engine"):
        dying.wait_until_ready()


def test_a_child_that_is_never_ready_is_given_up(child):
    with pytest.raises(LocalError, match="not ready after 0 s"):
        child("sleep", "60", ready=lambda pid: False, ready_limit_s=0.1).wait_until_ready()


def test_a_child_stops_at_once_when_asked(child):
    sleeping = child("sleep", "60")
    sleeping.stop()
    assert sleeping.status == -signal.SIGTERM
    sleeping.stop()


def test_a_child_that_ignores_the_request_is_killed(child):
    deaf = child(*STUBBORN)
    assert eventually(lambda: "deaf" in processes.tail(deaf.program.log))
    deaf.stop(limit_s=0.2)
    assert deaf.status == -signal.SIGKILL


def test_a_child_is_asked_once_to_stop(child):
    counts = child("bash", "-c", "trap 'echo asked' TERM; echo ready; while true; do sleep 0.05; done")
    log = counts.program.log
    assert eventually(lambda: "ready" in processes.tail(log))
    counts.ask_to_stop()
    assert eventually(lambda: "asked" in processes.tail(log))
    counts.ask_to_stop()
    counts.stop(limit_s=0.3)
    assert processes.tail(log).count("asked") == 1


def test_a_killed_parent_takes_its_children_with_it(tmp_path):
    script = (
        "import pathlib, sys, time\nfrom dashboard.local.processes import Child, Program\n"
        "home = pathlib.Path(sys.argv[1])\n"
        "print(Child(Program('part', ['sleep', '60'], home, home / 'part.log')).pid, flush=True)\ntime.sleep(60)"
    )
    argv = [sys.executable, "-c", script, tmp_path]
    with subprocess.Popen(argv, cwd=PROJECT, stdout=subprocess.PIPE, text=True) as parent:
        orphan = int(parent.stdout.readline())
        assert not gone(orphan)
        parent.kill()
    assert eventually(lambda: gone(orphan))


def test_a_large_log_is_moved_aside(child, monkeypatch, tmp_path):
    monkeypatch.setattr(processes, "LARGEST_LOG_BYTES", 10)
    log = tmp_path / "logs" / "part.log"
    log.parent.mkdir()
    log.write_text("of an earlier start")
    child("echo", "new").stop()
    assert (tmp_path / "logs" / "part.log.1").read_text() == "of an earlier start"
    assert "earlier" not in log.read_text()


def test_an_ended_child_is_started_again_and_that_is_told(program, monkeypatch):
    monkeypatch.setattr(processes, "FIRST_PAUSE_S", 0.05)
    said = []
    kept = Supervisor(program("sleep", "60"), said.append)
    try:
        first = kept.child.pid
        os.kill(first, signal.SIGKILL)
        assert eventually(lambda: kept.check() or kept.child.pid != first)
        assert "part ended with status -9; it is started again" in said[0]
    finally:
        kept.stop()


def test_each_early_end_of_a_child_is_followed_by_a_longer_pause(program, monkeypatch):
    monkeypatch.setattr(processes, "FIRST_PAUSE_S", 0.01)
    said = []
    kept = Supervisor(program("false"), said.append)
    try:
        started = time.monotonic()
        assert eventually(lambda: kept.check() or len(said) == 5)
        assert time.monotonic() - started > 0.01 + 0.02 + 0.04 + 0.08
    finally:
        kept.stop()


def test_a_stopped_child_is_not_started_again(program):
    kept = Supervisor(program("false"), lambda _: None)
    assert eventually(lambda: kept.child.status is not None)
    kept.check()
    kept.stop()
    kept.check()
    assert kept.child.status == 1


def test_a_log_that_grows_is_bounded_while_its_program_runs(child, monkeypatch, tmp_path):
    """Nothing is lost of it, and the program goes on writing."""
    monkeypatch.setattr(processes, "LARGEST_LOG_BYTES", 2000)
    writes = child("bash", "-c", "for n in {1..200}; do echo line $n of many; done; sleep 60")
    log, old = writes.program.log, tmp_path / "logs" / "part.log.1"
    assert eventually(lambda: "line 200 of" in processes.tail(log))
    processes.bound_log(log)
    assert (log.stat().st_size, old.read_text().count("line")) == (0, 200)
    assert writes.status is None


def test_a_program_that_appends_goes_on_at_the_new_end(monkeypatch, tmp_path):
    monkeypatch.setattr(processes, "LARGEST_LOG_BYTES", 10)
    log = tmp_path / "part.log"
    with processes.open_log(log) as held:
        for round_ in range(3):
            held.write(b"%d: more than ten bytes\n" % round_)
            held.flush()
            processes.bound_log(log)
        held.write(b"short")
        held.flush()
    assert log.read_bytes() == b"short", "no hole of zeros before it"
    assert (tmp_path / "part.log.1").read_bytes() == b"2: more than ten bytes\n"


def test_a_small_log_is_left_alone(tmp_path):
    log = tmp_path / "part.log"
    processes.bound_log(log)
    log.write_text("a few words")
    processes.bound_log(log)
    assert log.read_text() == "a few words" and len(list(tmp_path.iterdir())) == 1


def test_the_supervisor_bounds_the_log_of_its_program(monkeypatch, tmp_path):
    bounded = []
    program = Program("part", ["sleep", "60"], tmp_path, tmp_path / "part.log")
    kept = Supervisor(program, lambda _: None)
    monkeypatch.setattr(processes, "bound_log", bounded.append)
    try:
        kept.check()
    finally:
        kept.child.stop(limit_s=0)
    assert bounded == [program.log]
