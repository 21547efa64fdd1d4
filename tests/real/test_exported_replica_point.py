"""A crash point of a replica as an archive: its script starts both servers and shows what the replica lacks, or has too
much, and we judge it again."""

import pytest

from tests.real.disks import needs_disk
from tests.real.exported import run_script, shown, unpacked
from tests.real.trials import forgetful, rested, settings, setup
from workers.crash.chain import TrialPorts
from workers.crash.points.export.again import recover_again
from workers.crash.points.export.write import archive_of
from workers.crash.points.judge_state import StateJudge
from workers.crash.points.recorded import record
from workers.crash.points.steps import prepared_points
from workers.crash.prepare import prepare, start
from workers.crash.run import run_trial
from workers.sandbox import builds

pytestmark = [needs_disk, pytest.mark.usefixtures("leaves_nothing")]


@pytest.fixture(scope="module")
def archives(sandbox_root):
    """Outcome of the check "replica" -> (failed checks, archive). The primary is at 0/0, its replica at 1/1: when
    both lose power, the replica has rows that the primary lost. When it loses power alone, it catches up."""
    found = {}

    def steps(begun):
        yield (load := record(prepare(start(begun))))
        (lane,), _, choices = prepared_points(load)
        for choice in choices:
            tried = StateJudge(load).attempt(lane, choice)
            (outcome,) = [one.outcome for one in tried.checks if one.key == "replica"] or ["valid"]
            if tried.acknowledged and outcome not in found and (tried.verdict == "valid" or outcome == "invalid"):
                failed = {one.key for one in tried.checks if one.outcome == "invalid"}
                found[outcome] = failed, archive_of(load, lane.states, tried, choice.state)[0]
            if len(found) == 2:
                return

    at = {"settings": forgetful(0), "replica_settings": settings(1, 1)}
    asked = setup(sandbox_root, "replica-crash-points", **at, clients=4, load_s=0.6)
    result = run_trial(asked, lambda step: None, lambda: False, TrialPorts(sandbox=rested), steps)
    assert not result.error, result.error
    assert {*found} == {"valid", "invalid"}
    return found


def test_the_script_shows_what_is_wrong_with_the_replica(archives, tmp_path):
    failed, archive = archives["invalid"]
    assert "replica" in failed
    said = shown(archive, tmp_path)
    assert said.returncode == 1, said.stdout + said.stderr
    (told, *_) = [line for line in said.stdout.splitlines() if line.startswith("Replica: ")]
    assert "it stopped" in told or "rows" in told, told


def test_a_replica_that_caught_up_shows_no_violation(archives, tmp_path):
    """The negative control."""
    said = shown(archives["valid"][1], tmp_path)
    assert said.returncode == 0, said.stdout + said.stderr
    assert "Replica: it lacks 0 rows" in said.stdout and "it has 0 rows that its primary does not have" in said.stdout


def test_rows_that_the_replica_lost_without_an_error_are_shown(archives, tmp_path):
    """The positive control: its own settings say that a table is not replicated."""
    unpacked(archives["valid"][1], tmp_path)
    with (tmp_path / "crash-point/replica.cnf").open("a") as options:
        options.write("replicate_ignore_table=durascope_witness.left_half\n")
    said = run_script(tmp_path)
    assert said.returncode == 1, said.stdout + said.stderr
    assert "Replica: it lacks" in said.stdout and "Replica: it lacks 0 rows" not in said.stdout
    assert "  left_half\t" in said.stdout


def test_a_server_that_cannot_write_on_is_not_taken_for_a_wrong_replica(archives, tmp_path):
    unpacked(archives["valid"][1], tmp_path)
    script = tmp_path / "crash-point/follow.sh"
    script.write_text(script.read_text().replace("INSERT INTO one", "INSERT INTO no_such_table"))
    said = run_script(tmp_path)
    assert said.returncode == 2, said.stdout + said.stderr
    assert "The server could not write on:" in said.stdout and "no_such_table" in said.stdout


@pytest.mark.parametrize("outcome", ["valid", "invalid"])
def test_the_same_checks_fail_again(archives, sandbox_root, outcome):
    """Whether recovery gave GTIDs to other transactions is unclear: the earlier binary log is not in the archive."""
    failed, archive = archives[outcome]
    again = recover_again(archive, sandbox_root, builds.find)
    assert set(again.failed) == failed - {"gtid-reused"} and set(again.point.failed) == failed
