"""A server whose logs lie on a disk of their own: both disks are recorded, then crashed together or one alone."""

import pytest

from tests.real.disks import needs_disk
from tests.real.trials import forgetful, wait_for_unflushed
from tests.real.two_devices import recorded
from workers.errors import SandboxError
from workers.sandbox import builds
from workers.sandbox.disk.recording.joint import JointPoint

pytestmark = needs_disk
DURABLE = {"log_bin": "ON", "innodb_flush_log_at_trx_commit": "1", "sync_binlog": "1"}
SECONDS = 0.5
NEEDS_MORE = {"binlog-rewritten"}  # a copy of the binlog from before, which is not taken here


@pytest.mark.parametrize("build", ["system-mariadb", "mysql-8.0.33"])
def test_durable_settings_lose_nothing_when_both_disks_crash_or_one_alone(build, sandbox_root):
    try:
        builds.find(build)
    except SandboxError as absent:
        pytest.skip(str(absent))
    with recorded(sandbox_root, build, DURABLE, seconds=SECONDS) as crashable:
        told = [one for one in crashable.choices(seed=1) if len(crashable.known(one.state).acknowledged())]
        chosen = [next(choice for choice in told if choice.way == way) for way in ("together", "one alone")]
        assert any(choice.reached.redo_bytes and choice.reached.binlog_bytes for choice in chosen)
        for choice in chosen:
            assert {check.key for check in crashable.bad(choice.state)} <= NEEDS_MORE


def test_a_log_that_is_not_flushed_at_commit_is_lost_with_its_disk(sandbox_root):
    """The positive control: the last state in which only flushed data remain."""
    how = {"seconds": 0, "busy": lambda server: wait_for_unflushed(server.target)}
    with recorded(sandbox_root, "system-mariadb", DURABLE | forgetful(0), **how) as crashable:
        last = max(
            (choice for choice in crashable.choices(seed=1) if choice.way == "together"),
            key=lambda choice: choice.state.until_ns,
        )
        assert "lost-engine" in {check.key for check in crashable.bad(last.state) if check.outcome == "invalid"}


@pytest.mark.parametrize(("flush_log", "lost"), [("2", set()), ("0", {"lost-engine"})])
def test_a_kill_loses_only_what_was_not_written_at_commit(sandbox_root, flush_log, lost):
    """The server is stopped while InnoDB holds commits that it has not flushed."""
    settings = DURABLE | forgetful() | {"innodb_flush_log_at_trx_commit": flush_log, "sync_binlog": "0"}
    how = {"flush_ms": 0, "killed": True, "busy": lambda server: wait_for_unflushed(server.target)}
    with recorded(sandbox_root, "system-mariadb", settings, seconds=0, **how) as crashable:
        joint = crashable.joint
        killed = joint.at(JointPoint(joint.end_ns - 1, ("killed", "killed")))
        assert len(crashable.known(killed).acknowledged()) > 1
        bad = {check.key: check.outcome for check in crashable.bad(killed)}
        assert {key for key in bad if key.startswith("lost")} == lost
        assert lost or set(bad) <= NEEDS_MORE
