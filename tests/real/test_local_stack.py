"""`manage.py up`: everything runs, one home carries one stack, what dies is started again, and nothing is left."""

import os
import signal
import subprocess
import sys
import urllib.request
from contextlib import contextmanager

import pytest

from dashboard.installation.home import PROJECT
from dashboard.local import ports
from dashboard.local.errors import LocalError
from tests import migrated
from tests.real.local_home import LIMIT_S, environment, eventually, part, parts_of

PARTS = ("redis-server", "manage.py worker", "celery -A workers.celery beat", "uvicorn")


@contextmanager
def up(home, *arguments):
    argv = [sys.executable, "manage.py", "up", *arguments]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    with subprocess.Popen(argv, cwd=PROJECT, env=environment(home), **pipes) as process:
        try:
            yield process
        finally:
            process.kill()


def address_of(process):
    """Reads on until the stack says where it is."""
    for line in process.stdout:
        if line.startswith("Durascope is at "):
            return line.split()[3]
    raise AssertionError(f"ended with status {process.wait()}")


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    home = tmp_path_factory.mktemp("a home")
    if "DATABASE_URL" not in os.environ:
        migrated.sqlite(home / "durascope.sqlite3")  # test_demo.py starts without a database
    return home


@pytest.fixture(scope="module")
def stack(home):
    with up(home) as process:
        process.address = address_of(process)
        yield process


def test_everything_runs(stack, home):
    assert urllib.request.urlopen(stack.address, timeout=LIMIT_S).status == 200
    assert all(part(home, words) for words in PARTS)


def test_a_second_stack_on_the_same_home_is_refused(stack, home):
    with up(home) as second:
        said = second.communicate(timeout=LIMIT_S)[0]
    assert second.returncode == 2
    assert f"already runs on {home} (process {stack.pid}, {stack.address})" in said
    assert urllib.request.urlopen(stack.address, timeout=LIMIT_S).status == 200


def test_a_part_that_dies_is_started_again(stack, home):
    web = part(home, "uvicorn")
    os.kill(web, signal.SIGKILL)
    assert "web ended with status -9; it is started again in 1 s" in stack.stdout.readline()
    with pytest.raises(LocalError, match="Address already in use"):  # nobody takes its port meanwhile
        ports.listener("127.0.0.1", int(stack.address.rpartition(":")[2]))
    assert eventually(lambda: (part(home, "uvicorn") or web) != web)
    assert urllib.request.urlopen(stack.address, timeout=LIMIT_S).status == 200


def test_the_worker_is_stopped_gently_though_nobody_reads_its_output(stack, home):
    """That Ctrl-C stops every part: the end of tests/browser/test_journey.py."""
    log = home / "logs" / "worker.log"
    before = log.read_text().count("Warm shutdown")
    stack.stdout.close()
    stack.terminate()
    stack.wait(LIMIT_S)
    assert log.read_text().count("Warm shutdown") == before + 1
    assert parts_of(home) == {}


def test_killing_it_takes_every_part_with_it(home):
    """Also parts that are not ready yet."""
    with up(home) as process:
        assert eventually(lambda: all(part(home, words) for words in PARTS))
        process.kill()
    assert eventually(lambda: not parts_of(home))


def test_a_part_that_cannot_start_stops_the_others_and_says_why(home, tmp_path, monkeypatch):
    broken = tmp_path / "bin" / "redis-server"
    broken.parent.mkdir()
    broken.write_text("#!/bin/sh\necho out of luck\nexit 7\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", f"{broken.parent}:{os.environ['PATH']}")
    with up(home) as process:
        said = process.communicate(timeout=LIMIT_S)[0]
    assert process.returncode == 2
    assert "redis ended at once with status 7" in said
    assert "out of luck" in said
    assert parts_of(home) == {}


def test_a_taken_port_is_refused_before_anything_starts(home):
    with ports.listener("127.0.0.1", None) as held, up(home, "--port", str(taken := ports.port_of(held))) as process:
        said = process.communicate(timeout=LIMIT_S)[0]
    assert process.returncode == 2
    assert f"Port {taken} on 127.0.0.1 cannot be used: Address already in use" in said
