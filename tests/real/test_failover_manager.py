"""An owner's failover manager is drilled with real servers: it notices the loss and promotes a replica by itself."""

import sys
from pathlib import Path

import pytest

from workers.errors import PlanError
from workers.sandbox import builds
from workers.topology.run import run_failover
from workers.topology.setup_and_result import FailoverSetup
from workers.topology.topology import parse

MANAGER = (sys.executable, str(Path(__file__).with_name("promoting.py")))


def drill(root, *manager, topology="semi-sync+rtt=4ms+replicas=2+policy=manager"):
    setup = FailoverSetup(
        root=root,
        build=builds.find("system-mariadb"),
        name="test",
        topology=parse(topology),
        settings={"innodb_flush_log_at_trx_commit": "1", "sync_binlog": "1", "gtid_strict_mode": "ON"},
        fault="primary-host-loss",
        seed=7,
        load_s=0.6,
        manager=manager,
    )
    return run_failover(setup, lambda step: None, lambda: False)


def test_a_manager_promotes_by_itself_and_its_output_is_evidence(sandbox_root, leaves_nothing):
    result = drill(sandbox_root, *MANAGER)
    assert (result.verdict, result.error) == ("valid", ""), (result.checks, result.log_lines)
    assert result.story.promoted.startswith("replica") and result.story.outage.failover_s > 0
    said = result.log_lines["failover manager"]
    assert said[:2] == ("watching primary", "primary does not answer") and said[2].startswith("promoted")


def test_a_manager_that_drops_what_its_replica_received_is_named_as_the_cause(sandbox_root, leaves_nothing):
    """Each commit was acknowledged by the replica, whose applying thread is stopped."""
    result = drill(sandbox_root, *MANAGER, "change", topology="semi-sync+rtt=4ms+behind+policy=manager")
    assert (result.verdict, result.error) == ("invalid", ""), (result.checks, result.log_lines)
    assert result.lost.transactions > 0 and result.story.fell_back is False
    assert "The manager's commands dropped its relay log" in result.story.because


def test_a_manager_that_fails_makes_the_trial_unclear_and_is_quoted(sandbox_root, leaves_nothing):
    result = drill(sandbox_root, *MANAGER, "wrong")
    assert (result.verdict, result.failed_at) == ("unknown", "failover manager")
    assert "ended with status 1: watching primary" in result.error


def test_without_a_command_nothing_is_started(sandbox_root):
    with pytest.raises(PlanError, match="No failover manager is known"):
        drill(sandbox_root)
