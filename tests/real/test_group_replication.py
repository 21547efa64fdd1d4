"""Group Replication of real MySQL servers, where such a build is installed. Its members are also looked at as servers
that somebody registered."""

import pytest

from dashboard.findings.attached.topology import topology_of
from dashboard.records.servers.models import Server
from tests.real.registered import registering
from workers.errors import SandboxError
from workers.sandbox import builds
from workers.topology.run import run_failover
from workers.topology.setup_and_result import FailoverSetup
from workers.topology.topology import Topology

pytestmark = pytest.mark.django_db
BUILD = "mysql-8.0.33"
DISK_GONE = "all members lose power, and the primary's disk does not come back"


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
        settings={"innodb_flush_log_at_trx_commit": "1", "sync_binlog": "1"},
        fault="primary-kill",
        seed=7,
        load_s=0.6,
    )
    nodes: list[Server] = []
    result = run_failover(setup, lambda step: None, lambda: False, steps=registering(nodes))
    seen = topology_of(nodes[1])
    assert [(node.name, node.role, node.state) for node in seen.nodes] == [
        ("node 1", "primary", "passed"), ("node 2", "secondary", "passed"), ("node 3", "secondary", "passed"),
    ]  # fmt: skip
    assert {one.crash for one in seen.statements if one.outcome == "may be lost"} == {DISK_GONE} and seen.unread == ()
    assert result.error == "" and result.verdict == "valid"
    assert result.lost.transactions == 0 < result.acknowledged and result.story.promoted in ("node 2", "node 3")
    assert result.story.outage.detection_s > 0
    assert [check.outcome for check in result.checks if check.key == "others"] == ["valid"]
