"""A Galera cluster of real MariaDB servers, where the provider is installed."""

import pytest

from workers.errors import SandboxError
from workers.sandbox import builds
from workers.sandbox.builds import parts
from workers.topology.network import ability
from workers.topology.run import run_failover
from workers.topology.setup_and_result import FailoverSetup
from workers.topology.topology import Topology

NEVER_FLUSHED = {"innodb_flush_log_at_trx_commit": "0", "innodb_flush_log_at_timeout": "2700"}


def test_a_cluster_that_does_not_flush_loses_commits_when_all_are_killed(sandbox_root):
    try:
        parts.find("galera-4")
    except SandboxError as absent:
        pytest.skip(str(absent))
    build = builds.find("system-mariadb")
    topology = Topology("galera", replicas=2, rtt_ms=0 if ability.missing() else 2)
    setup = FailoverSetup(
        root=sandbox_root, build=build, name="test", topology=topology, settings=NEVER_FLUSHED, fault="total-kill",
        seed=7, load_s=0.6,
    )  # fmt: skip
    result = run_failover(setup, lambda step: None, lambda: False)
    assert result.error == ""
    assert {check.key for check in result.checks if check.outcome != "valid"} == {"lost-promoted", "phantoms"}
    story = result.story
    assert result.lost.transactions > 0 and story.because.startswith("All nodes went down before any had flushed")
    assert story.holds.keys() == {"node 1", "node 2", "node 3"}
    assert story.holds[story.promoted] == max(story.holds.values())
