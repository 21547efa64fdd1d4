"""An old primary whose data are replaced by a copy of the new primary's."""

from workers.sandbox import builds
from workers.topology.run import run_failover
from workers.topology.setup_and_result import FailoverSetup
from workers.topology.topology import parse


def test_a_rebuilt_old_primary_follows_with_the_same_rows(sandbox_root, leaves_nothing):
    """As it was, it would be refused (test_failover): it has commits that the new primary lacks."""
    setup = FailoverSetup(
        root=sandbox_root,
        build=builds.find("system-mariadb"),
        name="test",
        topology=parse("async+rtt=100ms+policy=old-rebuilt"),
        settings={"innodb_flush_log_at_trx_commit": "1", "sync_binlog": "1", "gtid_strict_mode": "ON"},
        fault="primary-host-loss",
        seed=7,
    )
    result = run_failover(setup, lambda step: None, lambda: False)
    assert result.error == "" and result.lost.transactions > 0
    assert result.story.rejoin.state == "caught up" and result.story.rejoin.different_rows == 0
    assert result.story.ghosts is None, "what it held before is not read"
    assert {check.key: check.outcome for check in result.checks}["rejoin"] == "valid"
