"""One recorded load, crashed at several moments: nothing is lost at 1/1, and the controls are called."""

import time

import pytest

from tests.real.disks import needs_disk
from tests.real.trials import setup
from workers.crash.chain import TrialPorts
from workers.crash.run import run_trial
from workers.errors import Cancelled
from workers.sandbox.disk import prepared

pytestmark = needs_disk
MAY_TEAR = {"binlog-unreadable"}  # a crash in the middle of a write tears the binlog's tail, seldom, at any setting


@pytest.fixture(autouse=True)
def nothing_is_left(sandbox_root):
    live = sandbox_root / "live"
    before = sorted(live.glob("*"))
    yield
    assert sorted(live.glob("*")) == before


def crash(root, flush_log=1, sync_binlog=1, points=8, ports=None, cancelled=lambda: False, **more):
    asked = setup(root, "every-crash-point", flush_log, sync_binlog, points=points, load_s=0.4, **more)
    return run_trial(asked, lambda step: None, cancelled, ports or TrialPorts())


def failed(result):
    assert not result.failed_at, f"{result.failed_at}: {result.error}"
    assert len(result.points.states) == 8
    return {one.key for one in result.checks if one.outcome != "valid"}


def test_nothing_is_lost_at_1_1(sandbox_root):
    result = crash(sandbox_root)
    assert failed(result) <= MAY_TEAR
    assert result.lost_engine.transactions == result.lost_binlog.transactions == 0
    assert all(state.redo and state.recovery_s for state in result.points.states if state.acknowledged)
    assert result.points.covered == len({(one.redo, one.binlog) for one in result.points.states})
    assert result.points.left > 0 == result.points.margin_s


def test_an_unflushed_binlog_is_lost_at_some_crash_point(sandbox_root):
    result = crash(sandbox_root, sync_binlog=0)
    assert "lost-binlog" in failed(result)
    assert result.points.counts.lost > 0 < result.lost_binlog.transactions


def test_a_disk_that_ignores_flushes_is_called_at_1_1(sandbox_root):
    """The positive control: what the server was told to be durable is lost."""

    def lying(*asked, **more):
        disk = prepared.new_disk(*asked, **more)
        record = disk.record
        disk.record = lambda folder, most: (disk.lie(True), record(folder, most))
        return disk

    result = crash(sandbox_root, ports=TrialPorts(disk=lying))
    assert {"lost-engine", "lost-binlog"} <= failed(result)
    assert max(state.lost_engine.transactions for state in result.points.states if state.lost_engine) > 0


def test_it_stops_between_two_crash_points(sandbox_root):
    began, told = time.monotonic(), []

    def tell(step):
        told.append(step)

    asked = setup(sandbox_root, "every-crash-point", points=500, load_s=0.4)
    with pytest.raises(Cancelled):
        run_trial(asked, tell, lambda: len(told) > 2 and "of 500" in told[-1] and " 2 of" not in told[-1])
    assert time.monotonic() - began < 200, "long before the last crash point"
