"""A small history, all of whose states are recovered."""

from dataclasses import replace

import pytest

from tests.real.disks import needs_disk
from tests.real.exported import run_script, shown
from tests.real.trials import setup
from workers.crash.made import Made
from workers.crash.points import exhaust
from workers.crash.points.export.again import recover_again
from workers.crash.points.histories import HISTORIES, A, AtOnce, B, History, alone, insert
from workers.crash.run import run_trial
from workers.errors import Cancelled
from workers.sandbox import builds

pytestmark = [needs_disk, pytest.mark.usefixtures("leaves_nothing")]
TWO_COMMITS = History("two commits", ((A, insert("a", 1)), (A, insert("b", 1, 2))))


@pytest.fixture(autouse=True)
def few_subsets(monkeypatch):
    """A recovery costs a third of a CPU second. tests/unit/crash/test_small_history_states.py asks for all subsets."""
    monkeypatch.setattr(exhaust, "MOST_UNFLUSHED", 2)
    monkeypatch.setattr(exhaust, "MOST_SUBSETS", 4)


def every_state(root, *histories, sync_binlog=1, cancelled=lambda: False):
    asked = setup(root, "small-histories", 1, sync_binlog)
    result = run_trial(asked, lambda step: None, cancelled, steps=lambda begun: exhaust.steps(begun, histories))
    assert not result.error, result.error
    return result


def test_every_state_of_two_histories_recovers_right(sandbox_root):
    result = every_state(sandbox_root, TWO_COMMITS, replace(HISTORIES[0], steps=HISTORIES[0].steps[:1]))
    assert result.verdict == "valid" and result.points.counts.tried > 8, "redo log and binlog are flushed at a commit"
    assert {state.way for state in result.points.states} == {"two commits", "autocommit"}
    assert result.points.left == 0 and result.points.kept == ()


def test_an_unflushed_binlog_recovers_wrong_in_some_state(sandbox_root, tmp_path):
    """The positive control, also of the archive."""
    result = every_state(sandbox_root, TWO_COMMITS, sync_binlog=0)
    (check,) = result.checks
    assert (check.key, result.verdict) == ("history", "invalid") and "Crash during INSERT" in check.says
    wrong = [state for state in result.points.states if state.checks]
    assert all("in the binary log" in state.checks[0].says for state in wrong)
    assert result.lost_binlog.transactions == max(state.lost_binlog.transactions for state in wrong) >= 1
    (point,) = result.points.kept
    assert point.history == "two commits" and point.n_bytes == len(result.archives[1])
    said = shown(result.archives[1], tmp_path)
    assert said.returncode == 1, said.stdout + said.stderr
    assert "is none of the allowed ones" in said.stdout or "transactions instead of" in said.stdout
    again = recover_again(result.archives[1], sandbox_root, builds.find)
    assert again.failed == again.point.failed == point.checks
    assert "in the binary log" in again.checks[0].says


def test_the_steps_that_are_enough_are_found(sandbox_root, monkeypatch):
    """Of an insert and a DROP TABLE, the insert does not matter. No write gets through before an earlier one."""
    monkeypatch.setattr(exhaust, "MOST_UNFLUSHED", 0)
    monkeypatch.setattr(exhaust, "MOST_SUBSETS", 0)
    dropped = alone("dropped", insert("b", 1), "DROP TABLE a")
    (found,) = every_state(sandbox_root, dropped).points.smallest
    assert found.steps == ("DROP TABLE a",) and found.played == 1


def test_a_cancelled_round_ends(sandbox_root):
    with pytest.raises(Cancelled):
        every_state(sandbox_root, TWO_COMMITS, cancelled=lambda: True)


VALUES = (
    r"(1, 'tab\there, line\nend, back\\slash, nul\0, quote\' and\r', x'00fffe0a09', NULL), "
    "(2, 'NULL', NULL, 7), (3, 'ä€😀', '', 0)"
)
HOSTILE = History(
    "hostile values",
    (
        (A, "ALTER TABLE a ADD COLUMN `q``x` VARBINARY(20) NULL, ADD COLUMN n INT NULL"),
        (A, f"INSERT INTO a VALUES {VALUES}"),
        *((A, "XA START 'x\ty'"), (A, insert("b", 1)), (A, "XA END 'x\ty'"), (A, "XA PREPARE 'x\ty'")),
    ),
    at_once=(AtOnce(B, insert("b", 2, v="written by B"), "b", "written by B"),),
)
CHANGES = (  # of the allowed content: file, what it holds, what it holds then, what the script says
    ("1.txt", b"tab\\there", b"tab here", "Content: it is none of the allowed ones"),
    ("1.txt", b"\tNULL\n", b"\t'NULL'\n", "Content: it is none of the allowed ones"),
    ("1.txt", b"prepared transaction\tx\\ty\n", b"", "Content: it is none of the allowed ones"),
    ("1.binlog", b"\nwritten by B", b"\nwritten by C", 'it lacks the text "written by C"'),
    ("1.binlog", b"\n", b"1\n", "transactions instead of"),
)


def test_the_script_of_a_right_state_finds_nothing_wrong(sandbox_root, monkeypatch, tmp_path):
    """With values that a client escapes. Then the allowed content is changed: the script must tell each difference."""
    every, kept = exhaust.each_state, []
    monkeypatch.setattr(exhaust, "each_state", lambda states, seed: every(states, seed)[-1:])

    def steps(begun):
        with Made() as made:
            of = replace(begun, made=made)
            kept.extend(exhaust.exhaust(of, HOSTILE, 60.0, wanted=lambda state: state.verdict == "valid")[1:])
        yield begun

    result = run_trial(setup(sandbox_root, "small-histories"), lambda step: None, lambda: False, steps=steps)
    assert not result.error and kept[0], result.error
    said = shown(kept[0].archive, tmp_path)
    assert said.returncode == 0, said.stdout + said.stderr
    assert "transactions, as it must be (allowed/1.txt)" in said.stdout
    for file, old, new, told in CHANGES:
        allowed = tmp_path / "crash-point/allowed" / file
        known = allowed.read_bytes()
        assert old in known
        allowed.write_bytes(known.replace(old, new))
        said = run_script(tmp_path)
        assert said.returncode == 1 and told in said.stdout, said.stdout + said.stderr
        allowed.write_bytes(known)
    assert recover_again(kept[0].archive, sandbox_root, builds.find).failed == ()
