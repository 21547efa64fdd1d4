"""A child process that can be ended whatever it does, and its server that makes the next one."""

import errno
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from decimal import Decimal
from pathlib import Path

import pytest

from workers.errors import PlanError
from workers.host import apart
from workers.host.apart import PROJECT, ApartLimits, BrokeOff, ForkServer
from workers.servers.connection import authority
from workers.servers.target import Target

LIMITS = ApartLimits(60)


@pytest.fixture(scope="module")
def children():
    made = ForkServer(("decimal", "workers.errors"))
    yield made
    made.close()


def ended(pid: int) -> bool:
    for _ in range(600):
        if not Path(f"/proc/{pid}").exists():
            return True
        time.sleep(0.05)
    return False


def test_a_result_comes_back_from_another_process(children):
    assert children.run(LIMITS, max, 3, 4) == 4
    assert children.run(LIMITS, os.getpid) not in (os.getpid(), children.run(LIMITS, os.getpid))


def test_many_threads_have_children_at_once(children):
    found = []
    threads = [threading.Thread(target=lambda n=n: found.append(children.run(LIMITS, abs, -n))) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == list(range(8))


def test_code_that_holds_pythons_lock_is_ended_at_its_limit(children):
    with pytest.raises(BrokeOff, match=r"took more than 0.5 s"):
        children.run(ApartLimits(0.5), int, Decimal("1E99999999"))
    assert children.run(LIMITS, abs, -1) == 1, "the next one works"


def test_a_child_gets_so_much_memory_and_no_more(children):
    assert len(children.run(ApartLimits(60, memory_bytes=64 << 20), bytes, 16 << 20)) == 16 << 20
    with pytest.raises(BrokeOff, match="took more than 16 MiB of memory"):
        children.run(ApartLimits(60, memory_bytes=16 << 20), bytes, 64 << 20)


@pytest.mark.parametrize("end", [(os.abort,), (os._exit, 0)], ids=["aborted", "ended"])
def test_a_child_that_ends_without_a_result_is_told(children, end):
    with pytest.raises(BrokeOff, match="or was killed"):
        children.run(LIMITS, *end)


def test_what_it_raises_is_raised_here(children):
    with pytest.raises(PlanError, match="cannot be used") as refused:
        children.run(LIMITS, authority, Target("x", "attached", "u", "p", host="h", tls_ca="/nowhere"))
    assert "readable PEM file" in refused.value.fix
    with pytest.raises(OSError, match="No such file") as lost:
        children.run(LIMITS, os.stat, "/nowhere")
    assert lost.value.errno == errno.ENOENT
    with pytest.raises(BrokeOff, match="failed"):
        children.run(LIMITS, int, "x")


def test_a_server_that_was_killed_is_replaced(children):
    before = children.run(LIMITS, os.getppid)
    os.kill(before, signal.SIGKILL)
    after = children.run(LIMITS, os.getppid)
    assert after != before and not Path(f"/proc/{before}").exists()


@pytest.fixture
def another(children, tmp_path):
    """Ends a child that runs meanwhile, and returns its result."""
    fifo, found = tmp_path / "fifo", []
    os.mkfifo(fifo)
    thread = threading.Thread(target=lambda: found.append(children.run(LIMITS, Path.read_text, fifo)))
    thread.start()
    writing = fifo.open("w")  # the child has opened it, too

    def ended():
        writing.write("its result")
        writing.close()
        thread.join()
        return found

    return ended


def test_a_server_that_hangs_ends_no_other_child(children, another, monkeypatch):
    server = children.run(LIMITS, os.getppid)
    monkeypatch.setattr(apart, "STARTS_S", 0.2)
    os.kill(server, signal.SIGSTOP)
    with pytest.raises(BrokeOff, match="could not be started"):
        children.run(LIMITS, abs, -1)
    assert another() == ["its result"]
    with suppress(BrokeOff):  # nothing ends with it now, so it is replaced; the next one takes longer to start
        children.run(LIMITS, abs, -1)
    monkeypatch.undo()
    assert children.run(LIMITS, os.getppid) != server


def test_a_server_that_cannot_fork_ends_no_other_child(children, another):
    server = children.run(LIMITS, os.getppid)
    most = resource.prlimit(server, resource.RLIMIT_NOFILE)
    resource.prlimit(server, resource.RLIMIT_NOFILE, (0, most[1]))
    with pytest.raises(BrokeOff, match="could not be started"):
        children.run(LIMITS, abs, -1)
    resource.prlimit(server, resource.RLIMIT_NOFILE, most)
    assert children.run(LIMITS, os.getppid) == server
    assert another() == ["its result"]


def test_a_server_that_was_killed_is_replaced_once_for_all_threads(children):
    os.kill(children.run(LIMITS, os.getppid), signal.SIGKILL)
    found = []
    threads = [threading.Thread(target=lambda: found.append(children.run(LIMITS, os.getppid))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8 and len(set(found)) == 1


def test_signals_for_the_worker_do_not_end_it(children):
    server = children.run(LIMITS, os.getppid)
    os.kill(server, signal.SIGTERM)
    os.kill(server, signal.SIGINT)
    assert children.run(LIMITS, os.getppid) == server


def test_nothing_stays_when_the_worker_is_killed():
    program = (
        "import os, time, threading\n"
        "from workers.host.apart import *\n"
        "children = ForkServer(())\n"
        "print(children.run(ApartLimits(60), os.getppid), flush=True)\n"
        "threading.Thread(target=children.run, args=(ApartLimits(60), time.sleep, 600)).start()\n"
    )
    worker = subprocess.Popen([sys.executable, "-c", program], cwd=PROJECT, stdout=subprocess.PIPE, text=True)
    server = int(worker.stdout.readline())
    listed = Path(f"/proc/{server}/task/{server}/children")
    while not (child := listed.read_text().split()):
        time.sleep(0.01)
    worker.kill()
    worker.communicate()
    assert ended(server) and ended(int(child[0]))
