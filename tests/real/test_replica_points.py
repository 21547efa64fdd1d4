"""The disks of a primary and of its applying replica are recorded. Each recovered content follows, and rows are
compared."""

import pytest

from tests.real.disks import needs_disk
from tests.real.trials import crash, settings, setup
from workers.crash.points.judge_state import StateJudge
from workers.crash.points.recorded import record
from workers.crash.points.steps import prepared_points
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
    """The positive control. MySQL's position is its binlog (bug #70659). The primary is at 1/1, its replica at 2/1. The
    replica alone loses power, until the first crash point shows it; the block that decides is not looked for."""
    try:
        build = builds.find("mysql-8.0.33")
    except SandboxError as absent:
        pytest.skip(str(absent))
    found = []

    def steps(begun):
        yield (load := record(prepare(start(begun))))
        (lane,), _, choices = prepared_points(load)
        tried = (StateJudge(load).attempt(lane, choice) for choice in choices[:8:2])
        found.append(next(one for one in tried if one.has_lost))

    own = settings(2, 1)
    asked = setup(sandbox_root, KIND, 1, 1, build=build, clients=8, load_s=1.0, replica_settings=own)
    result = run_trial(asked, lambda step: None, lambda: False, steps=steps)
    assert not result.error, result.error
    (state,) = found
    (check,) = (one for one in state.checks if one.key == "replica")
    assert check.outcome == "invalid" and "reports no error" in check.says
    assert state.lost_engine.transactions == 0 < state.lost_replica.transactions, "the primary is at 1/1"


def test_a_replica_of_mariadb_at_other_settings_than_its_primary_catches_up(sandbox_root):
    """Its position is in a table: it is lost together with the rows, so that nothing is left out. The replica's own
    settings are used."""
    own = settings(2, 0)
    result = crash(sandbox_root, KIND, clients=8, load_s=1.0, points=4, replica_settings=own)
    assert not result.failed_at, f"{result.failed_at}: {result.error}"
    assert "sync_binlog=0" in result.notes["the replica's own settings"]
    alone = [state for state in result.points.states if state.way == "the replica alone"]
    assert alone and {state.verdict for state in alone} == {"valid"}
    assert result.lost_engine.transactions == 0
