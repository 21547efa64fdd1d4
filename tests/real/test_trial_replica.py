"""A trial with a replica attached."""

from tests.real.disks import needs_disk
from tests.real.trials import bad, crash


def test_a_replica_agrees_after_a_restart_in_order(sandbox_root):
    result = crash(sandbox_root, "graceful-restart", 1, 1, replica=True)
    assert bad(result) == {}
    assert [(seen.state, seen.different_rows) for seen in result.evidence.replicas[:2]] == [("caught up", 0)] * 2
    assert result.lost_replica is not None


@needs_disk
def test_a_replica_differs_after_a_power_loss_at_1_0_once_the_primary_writes_on(sandbox_root):
    """Right after the recovery both can hold the same rows: the engine may have lost nothing that the replica has. The
    primary lost its binlog, so it gives the replica's GTIDs to other transactions."""
    result = crash(sandbox_root, "power-loss", 1, 0, replica=True)
    assert bad(result)["replica"] == "invalid"
    _, wrote_on, _ = result.evidence.replicas
    assert wrote_on.state == "stopped" or wrote_on.different_rows
    assert result.lost_replica.transactions < result.lost_binlog.transactions  # the replica had read the page cache
