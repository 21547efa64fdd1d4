"""Crash trials of a server whose logs lie on a disk of their own: both disks lose power together, or one alone."""

import pytest

from tests.real.disks import needs_disk
from tests.real.trials import bad, crash
from workers.crash.chain import TrialPorts
from workers.errors import SandboxError
from workers.sandbox import builds
from workers.sandbox.disk.volatile import VolatileDisk
from workers.sandbox.storage import parse

pytestmark = [needs_disk, pytest.mark.usefixtures("leaves_nothing")]
BINLOG_APART, REDO_APART = parse("k=1ms+binlog"), parse("k=1ms+redo")
HOW = {"load_s": 0.6, "clients": 4}
RECORDED_S = 1.5  # on a busy machine the first commit may take half of it
MAY_TEAR = {"binlog-unreadable"}  # a crash in the middle of a write tears the binlog's tail, seldom, at any setting


def failed(result):
    return {key for key, outcome in bad(result).items() if outcome == "invalid"}


def lying(*asked):
    """It ignores flushes from the moment at which they cost time: the server runs, the load has not begun."""
    disk = VolatileDisk.create(*asked)
    storage = disk.storage
    disk.storage = lambda *cost: (disk.lie(cost != (0,)), storage(*cost))
    return disk


@pytest.mark.parametrize(
    ("kind", "storage"),
    [
        *(("power-loss", BINLOG_APART), ("data-disk-power-loss", BINLOG_APART)),
        ("log-disk-power-loss", REDO_APART),
    ],
    ids=lambda one: one if isinstance(one, str) else one.text,
)
def test_durable_settings_lose_nothing(sandbox_root, kind, storage):
    result = crash(sandbox_root, kind, storage=storage, **HOW)
    assert failed(result) <= MAY_TEAR and result.acknowledged > 1
    assert result.lost_engine.transactions == result.lost_binlog.transactions == 0


@pytest.mark.parametrize("kind", ["power-loss", "log-disk-power-loss"])
def test_a_binlog_disk_that_ignores_flushes_loses_the_binlog_alone(sandbox_root, kind):
    """The positive control. After a recovery the engine holds what the binlog lost."""
    result = crash(sandbox_root, kind, storage=BINLOG_APART, **HOW, ports=TrialPorts(logs_disk=lying))
    assert "lost-binlog" in failed(result) and result.lost_binlog.transactions > 0


def test_a_protected_binlog_disk_may_ignore_flushes(sandbox_root):
    """Its cache keeps everything: only what the page cache held is lost, and a flush writes that."""
    ports = TrialPorts(logs_disk=lying)
    result = crash(sandbox_root, "data-disk-power-loss", storage=BINLOG_APART, **HOW, ports=ports)
    assert failed(result) <= MAY_TEAR


@pytest.mark.parametrize(("build", "points"), [("system-mariadb", 6), ("mysql-8.0.33", 4), ("mysql-5.6.14", 4)])
def test_no_crash_point_of_both_disks_loses_anything_at_1_1(sandbox_root, build, points):
    """That a disk which ignores flushes is called: test_exported_crash_point.py."""
    try:
        found = builds.find(build)
    except SandboxError as absent:
        pytest.skip(str(absent))
    result = crash(
        sandbox_root,
        "every-crash-point",
        storage=BINLOG_APART,
        build=found,
        points=points,
        clients=4,
        load_s=RECORDED_S,
    )
    assert failed(result) <= MAY_TEAR
    assert {"together", "one alone"} <= {state.way for state in result.points.states}
    assert any(state.redo and state.binlog and state.acknowledged for state in result.points.states)
