"""The disk of an applying replica is recorded. Each recovered content follows the primary, and rows are compared."""

import pytest

from tests.real.disks import needs_disk
from tests.real.trials import setup
from workers.crash import dialects
from workers.crash.chain import PORTS, Begun
from workers.crash.kinds import CRASH_KINDS
from workers.crash.made import Made
from workers.crash.points.of_replica import replica_points
from workers.crash.setup_and_result import Timeline
from workers.errors import SandboxError
from workers.sandbox import builds

pytestmark = [needs_disk, pytest.mark.usefixtures("leaves_nothing")]
RELAXED = {"innodb_flush_log_at_trx_commit": "2", "sync_binlog": "1"}  # its binlog outlives its engine
DURABLE = {"innodb_flush_log_at_trx_commit": "1", "sync_binlog": "1"}


def every_point(root, build, settings, points):
    asked = setup(root, "process-kill", 2, 0, build=build, clients=8, load_s=1.5)
    kind, timeline = CRASH_KINDS["process-kill"], Timeline(lambda step: None, lambda: False)
    of_source = dialects.of(build).of_source
    with Made() as made:
        begun = Begun(
            setup=asked, kind=kind, settings={**asked.settings, **of_source}, ports=PORTS, made=made, timeline=timeline
        )
        return replica_points(begun, settings, points)


def test_a_replica_of_mariadb_has_the_primarys_rows_at_all_crash_points(sandbox_root):
    found = every_point(sandbox_root, builds.find("system-mariadb"), DURABLE, 8)
    assert found.acknowledged and len(found.tried) == 8
    assert [state for state in found.tried if not state.is_right] == []


def test_a_replica_whose_binlog_outlives_its_engine_loses_rows_without_an_error(sandbox_root):
    """The positive control. MySQL's position is its binlog (bug #70659)."""
    try:
        build = builds.find("mysql-8.0.33")
    except SandboxError as absent:
        pytest.skip(str(absent))
    found = every_point(sandbox_root, build, RELAXED, 6)
    assert any(state.differs for state in found.tried), found.tried
