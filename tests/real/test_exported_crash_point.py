"""A crash point as an archive: its own script shows on an unpacked copy what is missing, and we judge it again."""

import subprocess

import pytest

from tests.real.disks import needs_disk
from tests.real.exported import run_script, shown, unpacked
from tests.real.recorded_loads import exported_passing_point
from tests.real.test_trial_two_disks import lying
from tests.real.trials import FEW_COMMITS, crash, forgetful, only, rested, setup, unexamined, unhurried
from workers.crash.chain import TrialPorts
from workers.crash.points.export.again import recover_again
from workers.crash.points.export.recording import try_more
from workers.crash.points.story import RECORDING
from workers.crash.run import run_trial
from workers.errors import SandboxError
from workers.sandbox import builds
from workers.sandbox.storage import parse

pytestmark = [needs_disk, pytest.mark.usefixtures("leaves_nothing")]


POINTS = 5  # one in twenty comes before the first acknowledged commit, and loses none


@pytest.fixture(scope="module")
def kept(sandbox_root):
    """At 0/1 the engine loses commits, and the binary log does not. The trial's result."""
    how = {"points": POINTS, "clients": 4, "keep_recording": True, "looked_for": only("lost-engine"), **FEW_COMMITS}
    asked = setup(sandbox_root, "every-crash-point", settings=forgetful(), **how)
    with unexamined(), unhurried():
        result = run_trial(asked, lambda step: None, lambda: False, TrialPorts(sandbox=rested))
    assert not result.error, result.error
    return result


def missing(said, place):
    (line,) = (one for one in said.splitlines() if one.startswith(f"{place}: ") and "acknowledged rows" in one)
    return int(line.split()[len(place.split())])


def test_the_script_shows_the_missing_rows(kept, tmp_path):
    first = next(one for one in kept.points.kept if "lost-engine" in one.checks)
    archive = kept.archives[first.number]
    assert first.n_bytes == len(archive)
    said = shown(archive, tmp_path)
    assert said.returncode == 1, said.stdout + said.stderr
    (lost,) = {one.lost_engine.transactions for one in kept.points.states if one.moment == first.moment}
    assert missing(said.stdout, "Tables") >= lost > 0 == missing(said.stdout, "Binary log")


def test_the_script_says_when_the_server_does_not_start(kept, tmp_path):
    said = shown(kept.archives[1], tmp_path, "--no-such-option")
    assert said.returncode == 1 and "The server does not answer" in said.stdout


@pytest.fixture(scope="module")
def passing(sandbox_root):
    return exported_passing_point(sandbox_root)


def test_an_exported_point_that_passed_shows_no_violation(passing, tmp_path):
    """The negative control."""
    said = shown(passing, tmp_path)
    assert said.returncode == 0, said.stdout + said.stderr
    assert missing(said.stdout, "Tables") == missing(said.stdout, "Binary log") == 0
    assert "CHECK TABLE: 0 complaints" in said.stdout and "Prepared transactions: 0 are left" in said.stdout


def test_a_check_that_the_script_does_not_try_is_named(passing, tmp_path):
    unpacked(passing, tmp_path)
    (tmp_path / "crash-point/not-shown.txt").write_text("2 GTIDs named others before.\n")
    said = run_script(tmp_path)
    assert said.returncode == 2 and "2 GTIDs named others before." in said.stdout, said.stdout + said.stderr


ZEROS = """f=$(debugfs -R 'ls -p /data' disk.img | cut -d/ -f6 | grep '^binlog.0.*[0-9]$' | tail -n 1)
debugfs -R "dump /data/$f log" disk.img
head -c 8192 /dev/zero >>log
debugfs -w -R "rm /data/$f" disk.img
debugfs -w -R "write log /data/$f" disk.img
debugfs -w -R "ls /data" disk.img"""


def test_a_torn_end_of_the_binary_log_is_shown(passing, tmp_path):
    """The length of the file got through, its last bytes did not."""
    unpacked(passing, tmp_path)
    at = {"cwd": tmp_path / "crash-point", "env": {"PATH": "/usr/sbin:/sbin:/usr/bin:/bin"}}
    subprocess.run(["e2fsck", "-y", "-E", "journal_only", "disk.img"], check=False, capture_output=True, **at)
    subprocess.run(["sh", "-ec", ZEROS], check=True, capture_output=True, **at)
    said = run_script(tmp_path)
    assert "a replica cannot read binlog.0" in said.stdout, said.stdout + said.stderr
    assert said.returncode == 1 and missing(said.stdout, "Tables") == 0


def test_the_same_checks_fail_again(kept, sandbox_root):
    again = recover_again(kept.archives[1], sandbox_root, builds.find)
    assert set(again.failed) == set(again.point.failed) == set(kept.points.kept[0].checks)


def test_the_archive_of_a_shortest_load_shows_one_missing_commit(kept, sandbox_root, tmp_path):
    short = next(one for one in kept.points.kept if one.clients)
    assert (short.clients, short.commits) == (1, 1) and "lost-engine" in short.checks
    archive = kept.archives[short.number]
    assert missing(shown(archive, tmp_path).stdout, "Tables") == 1
    assert set(recover_again(archive, sandbox_root, builds.find).failed) == set(short.checks)


def test_points_that_were_not_tried_can_be_tried_later(kept, sandbox_root):
    """At 0/1 the first ones lost commits. So do some later ones of the same recording."""
    archive = kept.archives[RECORDING]
    assert kept.points.recording.n_bytes == len(archive) and kept.points.left > POINTS
    again = list(try_more(archive, sandbox_root, builds.find, "", skip=0, most=POINTS))
    tried = {(one.moment, tuple(sorted(check.key for check in one.checks if check.outcome == "invalid")))
             for one in kept.points.states}  # fmt: skip
    assert {(one.point.moment, tuple(sorted(one.failed))) for one in again} == tried, "the same points fail again"
    (later,) = try_more(archive, sandbox_root, builds.find, "", skip=POINTS, most=1)
    assert (later.point.moment, later.point.keeps) not in {(one.moment, one.way) for one in kept.points.states}


def test_another_archive_is_refused(sandbox_root):
    with pytest.raises(SandboxError, match="tar failed"):
        recover_again(b"x" * 1000, sandbox_root, builds.find)


def test_a_violation_of_two_disks_is_kept_and_shown(sandbox_root, tmp_path):
    """The binary log lies on a disk of its own that ignores flushes: rows are missing there. The block that decides is
    on that disk. It is the positive control of crash points of two disks, too."""
    how = {"storage": parse("k=1ms+binlog"), "points": POINTS, "clients": 4, "looked_for": only(), **FEW_COMMITS}
    result = crash(sandbox_root, "every-crash-point", ports=TrialPorts(logs_disk=lying), **how)
    assert not result.error, result.error
    assert "lost-binlog" in {one.key for one in result.checks if one.outcome == "invalid"} and result.points.counts.lost
    number = next(one.number for one in result.points.kept if "lost-binlog" in one.checks)
    deciding = [one for one in result.points.deciding if "lost-binlog" in one.checks]
    assert [(one.disk, one.n_bytes) for one in deciding if one.disk == "data"] == [], "nothing of that disk was lost"
    said = shown(result.archives[number], tmp_path)
    assert said.returncode == 1, said.stdout + said.stderr
    assert missing(said.stdout, "Binary log") > 0
    again = recover_again(result.archives[number], sandbox_root, builds.find)
    assert "lost-binlog" in again.failed and again.point.apart == ("binlog",)
