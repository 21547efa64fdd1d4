"""Whole crash trials on a real server: each kind, what is left behind, what happens when something goes wrong."""

import time
from dataclasses import replace

import pytest

from tests.real.disks import needs_disk
from tests.real.trials import bad, crash, crash_unflushed, forgetful, setup
from workers.crash.chain import TrialPorts
from workers.crash.run import run_trial
from workers.crash.witness import Witness
from workers.errors import Cancelled, PlanError
from workers.sandbox.disk import ability
from workers.sandbox.server import Sandbox

# A crash in the middle of a write tears the binlog's tail, seldom, at any setting.
MAY_TEAR = "binlog-unreadable"


def left(root):
    return sorted(path.name for path in (root / "live").glob("*"))


@pytest.fixture(autouse=True)
def nothing_is_left(sandbox_root):
    before = left(sandbox_root) if (sandbox_root / "live").exists() else []
    yield
    assert left(sandbox_root) == before


def test_a_kill_loses_commits_that_the_engine_had_not_flushed(sandbox_root):
    result = crash_unflushed(sandbox_root, forgetful(), load_s=1.0)
    assert {"lost-engine", "binlog-only"} <= set(bad(result)) <= {"lost-engine", "binlog-only", MAY_TEAR}
    assert result.lost_engine.transactions > 0 < result.lost_engine.ms <= 1000 * result.crash_at_s
    assert result.lost_binlog.transactions == 0
    assert [step.name for step in result.steps] == [
        "prepare", "start", "load", "kill", "recovery", "evidence", "checks",
    ]  # fmt: skip
    _, _, load, kill, *_ = result.steps
    assert setup(sandbox_root, "process-kill", load_s=1.0).crash_after_s <= result.crash_at_s
    assert result.crash_at_s <= load.took_s + kill.took_s + 0.001  # steps are rounded
    assert result.sent == result.acknowledged + result.in_doubt
    assert any("crash recovery" in line for line in result.evidence.recovery_lines)
    assert "innodb_flush_log_at_trx_commit=0" in result.my_cnf
    assert result.notes["innodb_flush_log_at_trx_commit"] == "0"


def test_a_graceful_restart_loses_nothing(sandbox_root):
    """The negative control, with the settings that lose most."""
    result = crash(sandbox_root, "graceful-restart", 0, 0)
    assert bad(result) == {}
    assert result.verdict == "valid"


def test_without_a_binlog_no_check_speaks_of_it(sandbox_root):
    result = crash(sandbox_root, "process-kill", settings={"log_bin": "OFF"})
    assert result.verdict == "valid"
    assert not any("binlog" in check.key for check in result.checks)
    assert result.lost_binlog is None


@needs_disk
@pytest.mark.parametrize("kind", ["power-loss", "torn-power-loss"])
def test_a_power_loss_loses_nothing_at_1_1(sandbox_root, kind):
    assert set(bad(crash(sandbox_root, kind, 1, 1))) <= {MAY_TEAR}


@needs_disk
def test_a_power_loss_takes_an_unsynced_binlog(sandbox_root):
    result = crash(sandbox_root, "power-loss", 1, 0)
    assert {"lost-binlog", "engine-only", "gtid-reused"} <= set(bad(result))
    # How much of it reached the disk, and whether its end is zeros, is the kernel's affair: somebody may call sync(2).
    assert result.lost_binlog.transactions > result.lost_engine.transactions == result.lost_both
    assert result.evidence.reissued


@needs_disk
def test_a_lying_disk_is_found_out_at_1_1(sandbox_root):
    """The positive control."""
    result = crash(sandbox_root, "lying-disk", 1, 1)
    assert result.verdict == "invalid"
    assert result.lost_engine.transactions == result.lost_both == result.acknowledged > 0


@needs_disk
def test_the_same_seed_crashes_at_the_same_moment(sandbox_root):
    first, again = (setup(sandbox_root, "power-loss", seed=11).crash_after_s for _ in range(2))
    assert first == again != setup(sandbox_root, "power-loss", seed=12).crash_after_s
    assert crash(sandbox_root, "power-loss", seed=11).crash_at_s >= first
    asked = setup(sandbox_root, "process-kill", load_s=2.0)
    moments = [replace(asked, seed=seed).crash_after_s for seed in range(500)]
    assert 1.0 <= min(moments) < 1.1 < 1.9 < max(moments) <= 2.0


def test_a_cancelled_trial_stops_during_its_load(sandbox_root):
    began = time.monotonic()
    with pytest.raises(Cancelled):
        run_trial(
            setup(sandbox_root, "process-kill", load_s=600), lambda step: None, lambda: time.monotonic() > began + 2
        )
    assert time.monotonic() - began < 300, "before the crash was due"


def test_a_cancelled_trial_stops_while_it_waits_for_the_recovery(sandbox_root):
    """The server is killed under whoever waits for it."""
    asked = []

    class Hanging(Sandbox):
        def recover(self, settings):
            done = super().recover(settings)
            asked.append(True)
            while self.running:
                time.sleep(0.02)
            return done

    with pytest.raises(Cancelled):
        run_trial(
            setup(sandbox_root, "process-kill"),
            lambda step: None,
            lambda: bool(asked),
            TrialPorts(sandbox=Hanging.create),
        )


def test_a_witness_that_ends_too_early_makes_the_verdict_unknown(sandbox_root):
    class HungUp(Witness):
        def begin(self):
            super().begin()
            for client in self._clients:
                client._socket.shutdown(2)

    result = crash(sandbox_root, "process-kill", ports=TrialPorts(witness=HungUp))
    assert (result.verdict, result.failed_at) == ("unknown", "load")
    assert "stopped before the crash" in result.error


def test_a_bug_makes_the_verdict_unknown(sandbox_root):
    class Broken(Witness):
        def begin(self):
            raise ZeroDivisionError("a bug")

    result = crash(sandbox_root, "process-kill", ports=TrialPorts(witness=Broken))
    assert (result.verdict, result.failed_at, result.error) == ("unknown", "load", "ZeroDivisionError: a bug")


def test_a_crash_kind_that_is_not_available_is_refused(sandbox_root, monkeypatch):
    with pytest.raises(PlanError, match="no crash kind"):
        crash(sandbox_root, "meteorite")
    with pytest.raises(PlanError, match="not for trial"):
        crash(sandbox_root, "attached-expendable")
    monkeypatch.setattr(ability, "missing", lambda: "The kernel has no FUSE.")
    with pytest.raises(PlanError, match="no FUSE"):
        crash(sandbox_root, "power-loss")
