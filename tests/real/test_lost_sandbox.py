"""A sandbox that ends during a measurement: why, and the end of its log."""

import os
import signal

import pytest

from tests.unit.bench.plans import plan as small_plan
from workers.bench.measure import Listener, LoadedTables, measure
from workers.bench.stage import SandboxStage
from workers.errors import SandboxLost
from workers.sandbox import builds

PLAN = small_plan(warmup_s=0, measure_s=30, repeats=1, table_rows=10, threads=(1,))


def killed(stage):
    os.kill(stage._sandbox.pid, signal.SIGKILL)


def stopped(stage):
    stage._sandbox.stop()


@pytest.mark.parametrize(
    ("end", "why"), [(killed, "it was ended by signal 9 (SIGKILL)"), (stopped, "Durascope had stopped it")]
)
def test_a_lost_sandbox_is_told_with_the_end_of_its_log(sandbox_root, end, why):
    stage = SandboxStage(sandbox_root, builds.find("system-mariadb"), "box", "", trace=False)
    listener = Listener(lambda doing: doing == "measuring" and end(stage), lambda second, warming: None, lambda: False)
    try:
        with pytest.raises(SandboxLost) as told:
            measure(stage, LoadedTables(), PLAN, next(iter(PLAN.cells())), listener)
    finally:
        stage.close()
    assert told.value.message.startswith(f"The server of the sandbox box is gone: {why}. Its error log ends with: ")
    assert "ready for connections" in told.value.message or "Shutdown complete" in told.value.message
    assert "journalctl" in told.value.fix
