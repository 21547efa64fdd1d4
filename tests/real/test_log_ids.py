"""One id leads from a click to the lines of the worker that measures and crashes."""

import json
from dataclasses import replace

from dashboard.installation.log_lines import about
from dashboard.records.experiments.models import Experiment
from dashboard.records.servers.models import Server
from tests.real import parts
from tests.real.lab import one_cell, started
from tests.real.parts import until
from workers.bench.plan import CrashPlan

CLICK = "0123456789abcdef"


def test_each_line_of_the_worker_says_what_it_is_about(transactional_db, sandbox_root):
    box = Server.objects.create(name="Sandbox", kind="sandbox", build="system-mariadb")
    crash = CrashPlan(kinds=("process-kill",), trials=1, control_trials=0, clients=2, load_s=0.2)
    with parts.redis_server(), parts.worker(sandbox_root, {"DURASCOPE_LOG": "json"}) as worker:
        before = worker.program.log.stat().st_size
        with about(request=CLICK):  # as the web server does for each request
            experiment = started(replace(one_cell(box, 1), crash=crash))
        until(lambda: Experiment.objects.get(pk=experiment.pk).is_over)
        cell, trial = experiment.cells.get(), experiment.trials.get()
        assert (cell.state, trial.state) == ("done", "done"), trial.error
    written = worker.program.log.read_bytes()[before:].decode().splitlines()
    lines = [json.loads(line) for line in written if line.startswith("{")]
    mine = [line for line in lines if line.get("request") == CLICK and line["logger"].startswith("workers.")]
    assert {(line["task"], line.get("experiment")) for line in mine} == {("run_experiment", experiment.pk)}
    assert [(line["message"], line.get("cell"), line.get("trial")) for line in mine] == [
        ("begins", None, None),
        (f"done: {cell.variant}", cell.pk, None),
        (f"done: {trial.variant}", None, trial.pk),
        ("ended: done", None, None),
    ]
