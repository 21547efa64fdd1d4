"""`manage.py demo`, with a plan cut short: the result as JSON, its exit statuses, and what a second start reuses."""

import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from contextlib import contextmanager, nullcontext
from io import StringIO

import pytest
from django.core.management import call_command

from dashboard.commands.management.commands import demo as command
from dashboard.installation.home import PROJECT
from dashboard.records.experiments.models import Experiment
from tests.real.local_home import LIMIT_S, environment, parts_of
from workers.celery import app as celery
from workers.conducting.conduct import conduct
from workers.upkeep.heartbeat import Heartbeat

SHORT = [
    word for pair in ("threads=1", "repeats=1", "measure_s=1", "warmup_s=0", "trials=0") for word in ("--set", pair)
]


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def sandboxes(sandbox_root):
    return sandbox_root / "demo"


@pytest.fixture(scope="module")
def demo(home, sandboxes):
    @contextmanager
    def start(*arguments, **more):
        env = {**environment(home), "DURASCOPE_SANDBOXES": str(sandboxes), **more}
        argv = [sys.executable, "manage.py", "demo", *arguments]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        with subprocess.Popen(argv, cwd=PROJECT, env=env, **pipes) as process:
            try:
                yield process
            finally:
                process.kill()

    return start


@pytest.fixture(scope="module")
def measured(demo):
    with demo("--once", "--json", *SHORT) as process:
        out, said = process.communicate(timeout=LIMIT_S)
    assert process.returncode == 0, said
    return out, said


def test_standard_output_is_the_result_and_nothing_else(measured):
    result = json.loads(measured[0])
    assert result["experiment"]["state"] == "done"
    assert sorted(run["variant"] for run in result["runs"]) == ["0/0", "1/1", "2/0", "2/1"]
    assert all(run["tps"] > 0 for run in result["runs"])


def test_progress_goes_to_standard_error_and_no_password_with_it(measured, home):
    assert re.search(r"3/4  \d/\d, 1 thread ", measured[1])
    assert json.loads((home / "demo_login.json").read_text())["password"] not in measured[0] + measured[1]


def test_the_demo_stops_everything_and_leaves_no_sandbox(measured, home, sandboxes):
    assert parts_of(home) == {}
    assert list((sandboxes / "live").iterdir()) == []


def test_a_second_start_with_keep_shows_the_finished_result_behind_a_link_for_everybody(measured, demo, home):
    with demo("--keep") as process:
        said = "".join(iter(process.stdout.readline, "Ctrl-C stops everything that was started.\n"))
        link = re.search(r"Share link +(http\S+)", said)[1]
        page = urllib.request.urlopen(link, timeout=LIMIT_S).read().decode()
        login = urllib.request.urlopen(re.search(r"Result +(http\S+)", said)[1], timeout=LIMIT_S)
        process.send_signal(signal.SIGINT)
        process.wait(LIMIT_S)
    assert process.returncode == 0
    assert "0/0" in page
    assert "/login" in login.url
    assert json.loads((home / "demo_login.json").read_text())["password"] in said
    assert parts_of(home) == {}


def test_failed_cells_give_status_1_and_their_reason(transactional_db, monkeypatch, settings, tmp_path, sandbox_root):
    """In this process, which is the worker too: that a demo starts all parts and ends them is shown above."""
    broken = tmp_path / "sysbench"
    broken.write_text(
        "#!/bin/sh\n[ \"$1\" = --version ] && exec echo 'sysbench 1.0.20'\necho FATAL: out of luck; exit 1\n"
    )
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(celery, "send_task", lambda *_, **__: None)
    settings.SANDBOX_ROOT, settings.HOME = str(sandbox_root), tmp_path / "home"
    settings.HOME.mkdir()
    heartbeat = Heartbeat()

    class ThisProcess:
        def check(self) -> None:
            conduct(Experiment.objects.get().pk, worker)

    monkeypatch.setattr(command, "running", lambda *_: nullcontext(ThisProcess()))
    worker = heartbeat.start()
    try:
        with pytest.raises(SystemExit) as ended:
            call_command("demo", "--once", "--json", *SHORT, stdout=(out := StringIO()), stderr=(said := StringIO()))
    finally:
        heartbeat.stop()
    assert ended.value.code == 1, said.getvalue()
    assert "out of luck" in said.getvalue()
    assert json.loads(out.getvalue())["runs"] == []


def test_bad_arguments_give_status_2_and_the_reason(demo):
    with demo("--once", "--json", "--set", "threads=0") as process:
        out, said = process.communicate(timeout=LIMIT_S)
    assert process.returncode == 2, said
    assert "Threads: 0 is not" in said
    assert out == ""
    assert "Stopping" not in said, "it was refused only after everything had been started"
