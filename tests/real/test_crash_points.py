"""One recorded load, crashed at several moments: nothing is lost at 1/1, and the controls are called."""

import re
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from dashboard.installation.stored import read
from tests.real.disks import needs_disk
from tests.real.trials import FEW_COMMITS, only, setup, unexamined, unhurried
from tests.unit.crash.recorded_states import LOST, state
from workers.crash.chain import PORTS, TrialPorts
from workers.crash.points import recorded, shortest
from workers.crash.points.recorded import record
from workers.crash.points.shortest import Search
from workers.crash.points.steps import again
from workers.crash.points.story import PointsStory
from workers.crash.points.untried import unpacked
from workers.crash.points.violations import Violation
from workers.crash.prepare import prepare, start
from workers.crash.run import run_trial
from workers.errors import Cancelled
from workers.sandbox.disk import prepared
from workers.sandbox.server import Sandbox

pytestmark = [needs_disk, pytest.mark.usefixtures("leaves_nothing")]
MAY_TEAR = {"binlog-unreadable"}  # a crash in the middle of a write tears the binlog's tail, seldom, at any setting


def crash(root, flush_log=1, sync_binlog=1, ports=PORTS, tell=lambda step: None, cancelled=lambda: False, **more):
    asked = setup(root, "every-crash-point", flush_log, sync_binlog, **{"points": 8} | FEW_COMMITS | more)
    return run_trial(asked, tell, cancelled, ports)


def lying(*asked, **more):
    """A disk that ignores flushes from the beginning of the recording."""
    disk = prepared.new_disk(*asked, **more)
    record = disk.record
    disk.record = lambda folder, most: (disk.lie(True), record(folder, most))
    return disk


def failed(result, points=8):
    assert not result.failed_at, f"{result.failed_at}: {result.error}"
    assert len(result.points.states) == points
    return {one.key for one in result.checks if one.outcome != "valid"}


@pytest.fixture(scope="module", autouse=True)
def nobody_hurries():
    with unhurried():
        yield


@pytest.fixture(scope="module")
def at_once(sandbox_root):
    """Two trials at the same time at 1/1. The disk of the second ignores flushes."""
    before = set((sandbox_root / "live").glob("*"))
    with ThreadPoolExecutor(2) as pool:
        honest = pool.submit(crash, sandbox_root)
        loses = pool.submit(
            crash, sandbox_root, points=4, ports=TrialPorts(disk=lying), looked_for=only("lost-engine", "lost-binlog")
        )
        both = honest.result(), loses.result()
    assert set((sandbox_root / "live").glob("*")) <= before
    return both


def test_no_commit_is_lost_at_1_1(at_once):
    """Beside a trial that loses some: trials at the same time do not disturb each other."""
    result, _ = at_once
    states = result.points.states
    assert failed(result) <= MAY_TEAR
    assert result.lost_engine.transactions == result.lost_binlog.transactions == 0
    assert all(state.redo and state.recovery_s for state in states if state.acknowledged)
    assert result.points.covered == len({(one.redo, one.binlog) for one in states})
    assert result.points.left > 0 == result.points.margin_s
    stored = unpacked(read(PointsStory, result.points.as_stored()).untried_list)
    assert len(stored) == len(result.points.untried) == result.points.left
    tried, untried = ({(one.moment, one.keeps) for one in some} for some in (states, stored))
    assert not {one for one in tried & untried if one[1] != "torn"}, "a moment is torn in several ways"


def test_a_disk_that_ignores_flushes_is_called_at_1_1(at_once):
    """The positive control: what the server was told to be durable is lost."""
    _, result = at_once
    assert {"lost-engine", "lost-binlog"} <= failed(result, 4)
    assert max(state.lost_engine.transactions for state in result.points.states if state.lost_engine) > 0
    for one in result.points.settings:
        assert one.failed == one.tried == len(one.points), f"no setting of the server prevents it: {one}"
    assert {"lost-engine", "lost-binlog"} <= {key for one in result.points.shortest if one.failed for key in one.checks}


def test_an_unflushed_binlog_is_lost_at_some_crash_point(sandbox_root):
    """Four crash points, because each violation is examined on copies of the disk."""
    result = crash(sandbox_root, sync_binlog=0, points=4, looked_for=only("lost-binlog"))
    assert "lost-binlog" in failed(result, 4)
    assert result.points.counts.lost > 0 < result.lost_binlog.transactions
    (flushed,) = [one for one in result.points.settings if one.name == "sync_binlog"]
    assert (flushed.ran, flushed.other, flushed.same, flushed.tried) == ("0", "1", False, 4)
    assert not flushed.unclear, flushed.points
    assert {key for one in flushed.points for key in one.failed} <= MAY_TEAR, flushed.points
    (shortest,) = [one for one in result.points.shortest if "lost-binlog" in one.checks]
    assert (shortest.clients, shortest.commits, shortest.acknowledged) == (1, 1, 1)
    assert shortest.statements[-1] == "COMMIT" and 0 < shortest.failed <= shortest.tried == shortest.found
    kept = [one for one in result.points.kept if (one.clients, one.commits) == (1, 1)]
    assert [len(result.archives[one.number]) for one in kept] == [one.n_bytes for one in kept] != []


def test_short_loads_at_1_1_show_nothing(sandbox_root, monkeypatch):
    """The negative control: a commit that is missing is looked for, and no load of one or two clients lacks one."""
    monkeypatch.setattr(shortest, "MOST_POINTS", 8)
    sought, found = Violation(state(0.1, LOST), "no content", frozenset({"lost-engine", "lost-binlog"})), []

    def steps(begun):
        yield (load := record(prepare(start(begun))))
        found.extend(Search(load, again, 1).all([sought]))

    asked = setup(sandbox_root, "every-crash-point", load_s=0.4, clients=2)
    result = run_trial(asked, lambda step: None, lambda: False, steps=steps)
    (none,) = found
    assert not result.error
    assert (none.checks, none.failed) == (("lost-binlog", "lost-engine"), 0)
    assert none.loads and none.tried and none.clients in (1, 2)


def test_servers_killed_by_somebody_else_make_crash_points_of_another_setting_unclear_and_not_failed(
    sandbox_root, monkeypatch
):
    """Two servers of the other load, during their recovery. Neither the disk write that decides nor a shortest load is
    looked for."""
    told, killed, launch = [], [], Sandbox._launch

    def launch_and_kill(server, *how):
        launch(server, *how)
        if len(killed) < 2 and any(re.search("sync_binlog=1: .*crash points", step) for step in told):
            killed.append(server._process.kill())

    monkeypatch.setattr(Sandbox, "_launch", launch_and_kill)
    monkeypatch.setattr(Search, "all", lambda *_: ())
    with unexamined():
        result = crash(sandbox_root, sync_binlog=0, points=4, tell=told.append)
    (flushed,) = [one for one in result.points.settings if one.name == "sync_binlog"]
    assert (flushed.tried, flushed.unclear, len(killed)) == (4, 2, 2), flushed.points
    assert {key for one in flushed.points for key in one.failed} <= MAY_TEAR, flushed.points
    assert sum("did not start" in one.says for one in flushed.points) == 2, flushed.points


def test_what_was_acknowledged_after_the_end_of_a_recording_need_not_be_there(sandbox_root, monkeypatch):
    """It reaches its largest size in the middle of the load. The server goes on."""
    monkeypatch.setattr(recorded, "MOST_BYTES", 1_500_000)
    result = crash(sandbox_root, points=4, commits=0, load_s=2.0)
    assert failed(result, 4) <= MAY_TEAR
    assert result.points.ended == "It reached its largest size. No later moment was tried."
    assert max(state.at_s for state in result.points.states) <= result.points.recorded_s < 2
    assert result.acknowledged > max(state.acknowledged for state in result.points.states) > 0


@pytest.mark.parametrize(
    ("points", "when"),
    [
        (4, ": load by the clients"),
        (40, r" ([3-9]|\d\d+) of "),
        (4, "the disk write that decides"),
        (1, "clients=1, commits=1: .* of "),
    ],
    ids=["recording", "points", "block", "shortest"],
)
def test_a_cancelled_trial_stops_within_two_seconds(sandbox_root, points, when):
    """While it records, between two crash points, while it looks for the block that decides, and for the shortest
    load."""
    told, asked_s = [], []

    def tell(step):
        told.append(step)
        if not asked_s and re.search(when, step):
            asked_s.append(time.monotonic())

    with pytest.raises(Cancelled):
        crash(sandbox_root, points=points, ports=TrialPorts(disk=lying), tell=tell, cancelled=lambda: bool(asked_s))
    assert time.monotonic() - asked_s[0] < 20, "it went on to the end"  # two seconds on a quiet host
    assert re.search(when, told[-1]), "no step was begun after it"
