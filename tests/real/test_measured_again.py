"""A sysbench that breaks off by itself, as version 1.0.20 seldom does, costs one attempt and no cell."""

import os
import shutil

import pytest

from tests.unit.bench.plans import plan as small_plan
from workers.bench.measure import Listener, LoadedTables, measure
from workers.bench.stage import SandboxStage
from workers.errors import LoadBrokeOff
from workers.sandbox import builds

BREAKS_OFF = """#!/bin/sh
for command; do :; done
if [ "$command" = run ] && [ $(wc -l <{tries}) -lt {times} ]; then
    echo "$*" >>{tries}
    kill -ABRT $$
fi
[ "$command" = run ] && echo "$*" >>{tries}
exec {sysbench} "$@"
"""


@pytest.fixture(scope="module")
def stage(sandbox_root):
    made = SandboxStage(sandbox_root, builds.find("system-mariadb"), "again", "")
    yield made
    made.close()


@pytest.fixture
def breaking_off(tmp_path, monkeypatch):
    """`breaking_off(1)`: the next run aborts, those after it do not. Answers with the file of all runs' arguments."""

    def times(count):
        tries = tmp_path / "tries"
        tries.touch()
        folder = tmp_path / "bin"
        folder.mkdir()
        script = folder / "sysbench"
        script.write_text(BREAKS_OFF.format(tries=tries, times=count, sysbench=shutil.which("sysbench")))
        script.chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
        return tries

    return times


def measured(stage, phases):
    plan = small_plan(warmup_s=0, measure_s=1, repeats=1, table_rows=100, threads=(2,))
    listener = Listener(phases.append, lambda second, warming: None, lambda: False)
    return measure(stage, LoadedTables(), plan, next(iter(plan.cells())), listener)


def seeds(tries):
    words = [word for line in tries.read_text().splitlines() for word in line.split()]
    return [word for word in words if word.startswith("--rand-seed=")]


def test_a_cell_whose_sysbench_aborted_is_measured_once_more_and_says_so(stage, breaking_off):
    tries, phases = breaking_off(1), []
    done = measured(stage, phases)
    assert done.load.transactions > 0
    assert done.load.output.startswith("The first attempt failed: sysbench aborted with signal 6")
    assert "measuring again, because sysbench aborted" in phases
    first, second = seeds(tries)
    assert first != second, "the same updates again would change nothing, and commit nothing"


def test_twice_is_a_failure(stage, breaking_off):
    tries = breaking_off(2)
    with pytest.raises(LoadBrokeOff, match="with signal 6"):
        measured(stage, [])
    assert len(seeds(tries)) == 2


def test_without_it_nothing_is_said(stage):
    assert "attempt" not in measured(stage, []).load.output
