"""Galera clusters of real MariaDB servers."""

import pytest

from workers.errors import SandboxError
from workers.sandbox import builds
from workers.sandbox.builds import parts
from workers.topology.run import run_failover
from workers.topology.setup_and_result import FailoverSetup
from workers.topology.topology import Topology


def fail_over(root, fault, flush):
    try:
        parts.find("galera-4")
    except SandboxError as absent:
        pytest.skip(str(absent))
    setup = FailoverSetup(
        root, builds.find("system-mariadb"), "test", Topology("galera", replicas=2),
        {"innodb_flush_log_at_trx_commit": flush}, fault, 7, load_s=0.6,
    )  # fmt: skip
    return run_failover(setup, lambda step: None, lambda: False)


def bad(result):
    assert result.error == ""
    return {check.key for check in result.checks if check.outcome != "valid"}


def test_a_cluster_that_does_not_flush_loses_commits_when_all_are_killed(sandbox_root):
    result = fail_over(sandbox_root, "total-kill", "0")
    assert bad(result) == {"lost-promoted", "phantoms"} and result.lost.transactions > 0
    assert result.story.because.startswith("All nodes went down before any had flushed")
    assert result.story.holds.keys() == {"node 1", "node 2", "node 3"}
    assert result.story.holds[result.story.promoted] == max(result.story.holds.values())
