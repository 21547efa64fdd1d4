"""A real replica crashes while it applies: rows that it loses without an error are found, and nothing is invented."""

from workers.sandbox import builds
from workers.topology.run import run_failover
from workers.topology.setup_and_result import FailoverSetup
from workers.topology.topology import parse

DURABLE = {"innodb_flush_log_at_trx_commit": "1", "sync_binlog": "1"}
RELAXED = "+replica.innodb_flush_log_at_trx_commit=0+replica.sync_binlog=0"
RARELY = "+replica.innodb_flush_log_at_timeout=60"  # else a flush of the last second can leave nothing to lose


def crash(root, topology):
    setup = FailoverSetup(
        root=root,
        build=builds.find("system-mariadb"),
        name="test",
        topology=parse(topology),
        settings=DURABLE,
        fault="replica-kill",
        seed=7,
        load_s=1.0,
    )
    return run_failover(setup, lambda step: None, lambda: False)


def test_a_position_in_a_file_outlives_the_rows(sandbox_root):
    result = crash(sandbox_root, f"async+position=file+keyless{RELAXED}{RARELY}")
    assert result.verdict == "invalid" and result.error == ""
    assert [check.key for check in result.checks if check.outcome != "valid"] == ["crashed-replica"]
    assert (
        result.lost.transactions == 0 < result.lost_replica.transactions == result.as_trial().lost_replica.transactions
    )
    assert result.story.rejoin.state == "caught up" and result.story.rejoin.different_rows > 0
    assert result.story.because.startswith("The replica keeps its position in a file")
    assert (result.story.promoted, result.story.outage) == ("", None)


def test_a_position_by_gtid_is_written_with_the_rows(sandbox_root):
    """One thread: sixteen leave gaps now and then (docs/topology.md)."""
    result = crash(sandbox_root, f"async+replicas=2{RELAXED}+replica.slave_parallel_threads=0")
    assert result.verdict == "valid", (result.checks, result.log_lines)
    assert {check.key for check in result.checks} == {"crashed-replica", "others"}
    assert result.lost_replica.transactions == result.story.rejoin.different_rows == result.story.rejoin.doubled == 0
