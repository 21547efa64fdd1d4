"""A trial with a replica attached."""

from tests.real.disks import needs_disk
from tests.real.trials import bad, crash


def test_a_replica_agrees_after_a_restart_in_order(sandbox_root):
    result = crash(sandbox_root, "graceful-restart", 1, 1, replica=True)
    assert bad(result) == {}
    assert [(seen.state, seen.different_rows) for seen in result.evidence.replicas[:2]] == [("caught up", 0)] * 2
    assert result.lost_replica is not None


@needs_disk
def test_a_replica_stops_or_differs_after_a_power_loss_at_1_0(sandbox_root):
    result = crash(sandbox_root, "power-loss", 1, 0, replica=True)
    assert bad(result)["replica"] == "invalid"
    assert all(seen.state == "stopped" or seen.different_rows for seen in result.evidence.replicas[:2])
    assert result.lost_replica.transactions < result.lost_binlog.transactions  # the replica had read the page cache
