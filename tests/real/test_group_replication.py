"""Group Replication of real MySQL servers, where such a build is installed."""

import pytest

from workers.errors import SandboxError
from workers.sandbox import builds
from workers.topology.run import run_failover
from workers.topology.setup_and_result import FailoverSetup
from workers.topology.topology import Topology

BUILD = "mysql-8.0.33"


def test_the_others_go_on_without_a_killed_primary_and_lose_nothing(sandbox_root):
    try:
        build = builds.find(BUILD)
    except SandboxError as absent:
        pytest.skip(str(absent))
    topology = Topology("group-replication", replicas=2, expel_timeout_s=0, policy_key="old-away")
    setup = FailoverSetup(
        root=sandbox_root,
        build=build,
        name="test",
        topology=topology,
        settings={},
        fault="primary-kill",
        seed=7,
        load_s=0.6,
    )
    result = run_failover(setup, lambda step: None, lambda: False)
    assert result.error == "" and result.verdict == "valid"
    assert result.lost.transactions == 0 < result.acknowledged and result.story.promoted in ("node 2", "node 3")
    assert result.story.outage.detection_s > 0
    assert [check.outcome for check in result.checks if check.key == "others"] == ["valid"]
