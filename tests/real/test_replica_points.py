"""The disks of a primary and of its applying replica are recorded. Each recovered content follows, and rows are
compared."""

import pytest

from tests.real.disks import needs_disk
from tests.real.trials import crash, setup
from workers.crash.points.of_replica import ReplicaJudge, ready
from workers.crash.points.recorded import record
from workers.crash.prepare import prepare, start
from workers.crash.run import run_trial
from workers.errors import SandboxError
from workers.sandbox import builds

pytestmark = [needs_disk, pytest.mark.usefixtures("leaves_nothing")]
KIND = "replica-crash-points"


def test_a_replica_of_mariadb_has_the_primarys_rows_at_all_crash_points(sandbox_root):
    result = crash(sandbox_root, KIND, clients=8, load_s=1.0, points=5)
    assert not result.failed_at, f"{result.failed_at}: {result.error}"
    assert result.acknowledged and len(result.points.states) == 5
    assert {state.way for state in result.points.states} == {"the replica alone", "together", "torn together"}
    assert {one.key for one in result.checks if one.outcome == "invalid"} == set()
    assert result.lost_replica.transactions == 0


def test_a_replica_whose_binlog_outlives_its_engine_loses_rows_without_an_error(sandbox_root):
    """The positive control. MySQL's position is its binlog (bug #70659). The replica alone
    loses power, until the first crash point shows it; the block that decides is not looked for."""
    try:
        build = builds.find("mysql-8.0.33")
    except SandboxError as absent:
        pytest.skip(str(absent))
    found = []

    def steps(begun):
        yield (load := record(prepare(start(begun))))
        lane, _, choices = ready(load)
        tried = (ReplicaJudge(load).attempt(lane, choice) for choice in choices[:8:2])
        found.extend(next(one for one in tried if one.has_lost).checks)

    asked = setup(sandbox_root, KIND, 2, 1, build=build, clients=8, load_s=1.0)
    result = run_trial(asked, lambda step: None, lambda: False, steps=steps)
    assert not result.error, result.error
    (check,) = (one for one in found if one.key == "replica")
    assert check.outcome == "invalid" and "reports no error" in check.says
