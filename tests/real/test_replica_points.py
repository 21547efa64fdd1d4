"""The disks of a primary and of its applying replica are recorded. Each recovered content follows, and rows are
compared."""

import pytest

from tests.real.disks import needs_disk
from tests.real.trials import crash
from workers.errors import SandboxError
from workers.sandbox import builds

pytestmark = [needs_disk, pytest.mark.usefixtures("leaves_nothing")]
KIND = "replica-crash-points"


def failed(result):
    assert not result.failed_at, f"{result.failed_at}: {result.error}"
    return {one.key for one in result.checks if one.outcome == "invalid"}


def test_a_replica_of_mariadb_has_the_primarys_rows_at_all_crash_points(sandbox_root):
    result = crash(sandbox_root, KIND, clients=8, load_s=1.5, points=8)
    assert result.acknowledged and len(result.points.states) == 8
    assert {"the replica alone", "together", "torn together"} <= {state.way for state in result.points.states}
    assert failed(result) == set() and result.lost_replica.transactions == 0


def test_a_replica_whose_binlog_outlives_its_engine_loses_rows_without_an_error(sandbox_root):
    """The positive control. MySQL's position is its binlog (bug #70659)."""
    try:
        build = builds.find("mysql-8.0.33")
    except SandboxError as absent:
        pytest.skip(str(absent))
    result = crash(sandbox_root, KIND, 2, 1, build=build, clients=8, load_s=1.5, points=6)
    assert "replica" in failed(result) and result.lost_replica.transactions
    assert any("reports no error" in check.says for state in result.points.states for check in state.checks)
    assert all(point.lacks for point in result.points.kept), "an archive has one server"
