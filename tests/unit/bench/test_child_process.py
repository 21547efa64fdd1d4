import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from workers.bench import process
from workers.errors import Cancelled, LoadError

ENV = {"PATH": os.environ["PATH"]}
STUBBORN = "trap '' TERM; echo up; while :; do sleep 0.1; done"


def read(script: str, folder: Path, *, limit_s: float = 20, cancelled=lambda: False) -> list[str]:
    with process.started(["sh", "-c", script], ENV, folder) as child:
        return list(process.lines(child, process.TimeLimit(limit_s), cancelled))


def test_lines_of_both_outputs_are_read_and_a_last_one_without_line_end(tmp_path):
    assert read("echo one; echo two >&2; printf three", tmp_path) == ["one", "two", "three"]


def test_bytes_that_are_no_text_do_not_stop_it(tmp_path):
    assert read(r"printf '\377\n'", tmp_path) == ["\ufffd"]


def test_a_silent_child_process_is_cancelled_within_two_seconds(tmp_path):
    began = time.monotonic()
    with pytest.raises(Cancelled):
        read(STUBBORN, tmp_path, cancelled=lambda: time.monotonic() - began > 0.5)
    assert time.monotonic() - began < 2.5


def test_a_hanging_child_ends_as_a_load_error(tmp_path):
    with pytest.raises(LoadError, match="did not end within 1 s"):
        read("sleep 60", tmp_path, limit_s=1)


def test_the_limit_can_be_shortened_but_not_stretched(tmp_path):
    limit = process.TimeLimit(0.0)
    limit.shorten(60)
    time.sleep(0.01)
    with pytest.raises(LoadError):
        limit.check()


def test_the_child_is_ended_when_its_reader_fails(tmp_path):
    with pytest.raises(ZeroDivisionError), process.started(["sleep", "60"], ENV, tmp_path) as child:
        raise ZeroDivisionError
    assert child.returncode == -signal.SIGTERM


PARENT = """
import sys
from pathlib import Path
from workers.bench import process
with process.started(["sleep", "60"], {"PATH": "/usr/bin:/bin"}, Path("/")) as child:
    print(child.pid, flush=True)
    child.wait()
"""


def test_a_child_process_dies_with_its_parent():
    root = Path(__file__).parents[3]
    parent = subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True, cwd=root)
    with parent:
        pid = int(parent.stdout.readline())
        while Path(f"/proc/{pid}/comm").read_text() != "sleep\n":
            time.sleep(0.01)
        parent.kill()
    deadline = time.monotonic() + 5
    while Path(f"/proc/{pid}").exists() and "Z" not in Path(f"/proc/{pid}/stat").read_text().split()[2]:
        assert time.monotonic() < deadline
        time.sleep(0.02)
