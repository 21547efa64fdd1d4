"""One recorded load, killed at many moments: what was written survives, what the server had in memory does not."""

import time

import pytest

from tests.real.disks import needs_disk
from tests.real.trials import forgetful, settings, setup
from workers.crash.run import run_trial
from workers.errors import Cancelled

pytestmark = [needs_disk, pytest.mark.usefixtures("leaves_nothing")]


def kill(root, variables, tell=lambda step: None, cancelled=lambda: False, **more):
    asked = setup(root, "kill-points", settings=variables, **{"points": 6, "load_s": 1.0} | more)
    return run_trial(asked, tell, cancelled)


def failed(result):
    assert not result.failed_at, f"{result.failed_at}: {result.error}"
    assert 4 <= len(result.points.states) <= 6, "of stops between which nothing was written, one counts"
    return {one.key for one in result.checks if one.outcome != "valid"}


@pytest.mark.parametrize(("flush_log", "sync_binlog"), [(1, 1), (2, 0)])
def test_no_commit_is_lost_that_was_written(sandbox_root, flush_log, sync_binlog):
    """With 2/0 nothing is flushed at commit. So it is lost if the files are not written out."""
    result = kill(sandbox_root, settings(flush_log, sync_binlog))
    assert not failed(result)
    acknowledged = [state.acknowledged for state in result.points.states]
    assert acknowledged == sorted(acknowledged) and acknowledged[-1] > acknowledged[0]
    assert "6 stops" in result.notes["stops of the server"]
    assert not result.points.pairs and not result.points.deciding


def test_a_log_in_the_memory_of_the_server_is_lost(sandbox_root):
    """The positive control. Another flush setting prevents it; nothing on the disk decides."""
    result = kill(sandbox_root, forgetful())
    assert "lost-engine" in failed(result) and result.lost_engine.transactions
    (flushed,) = [one for one in result.points.settings if one.name == "innodb_flush_log_at_trx_commit"]
    assert (flushed.failed, flushed.unclear) == (0, 0) and 4 <= flushed.tried <= 6, "a load with stops of its own"
    assert result.points.kept[0].keeps == "killed" and not result.points.deciding


def test_a_cancelled_trial_stops_while_the_server_is_stopped_again_and_again(sandbox_root):
    asked_s = []

    def tell(step):
        if not asked_s and ": load by the clients" in step:
            asked_s.append(time.monotonic())

    with pytest.raises(Cancelled):
        kill(sandbox_root, settings(1, 1), tell=tell, cancelled=lambda: bool(asked_s), points=400, load_s=20.0)
    assert time.monotonic() - asked_s[0] < 20, "it went on to the end"  # two seconds on a quiet host
