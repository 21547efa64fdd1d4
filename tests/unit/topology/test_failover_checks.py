"""Each check of a failover flags its fault and no other, and is unknown without its evidence."""

from dataclasses import fields, replace

import numpy as np
import pytest

from tests.unit.topology.failures import (
    EACH,
    SECRET,
    flagged,
    keys,
    ledger,
    outcomes,
    sound,
    sound_replica,
    without_key,
)  # fmt: skip
from workers.crash import compare_tables
from workers.crash.compare_tables import Placed
from workers.crash.digest import digests
from workers.crash.evidence import ReplicaSeen, Seen, nothing
from workers.crash.ledger import Ledger
from workers.servers.gtid import reissued
from workers.topology import judge
from workers.topology.checks import CHECKS, PIECES, run_checks
from workers.topology.takeover import REJOIN


def test_a_failover_that_loses_nothing_is_valid():
    assert set(outcomes(sound()).values()) == {"valid"}
    assert outcomes(sound()).keys() == CHECKS.keys() - {"crashed-replica"}


def test_a_crashed_replica_that_has_every_row_is_valid():
    assert outcomes(sound_replica()) == {"crashed-replica": "valid", "others": "valid"}


def result(evidence, check):
    return next(one for one in run_checks(ledger(), evidence) if one.key == check)


def keeping(seen):
    """The new primary has these transactions, by rows and by GTIDs."""
    return replace(with_gtids(named=seen.all()), kept=seen)


def with_gtids(**changes):
    return replace(sound(), gtids=replace(sound().gtids, **changes))


def test_a_missing_last_commit_is_lost_and_was_read():
    evidence = sound()
    gone = keeping(without_key(evidence.kept, (1, EACH)))
    assert flagged(gone) == {"lost-promoted", "phantoms"}
    assert result(gone, "lost-promoted").count == 1 and result(gone, "lost-promoted").offenders == ((1, EACH),)


def test_a_missing_commit_before_a_present_one_is_a_gap_too():
    evidence = sound()
    gone = keeping(without_key(evidence.kept, (1, EACH - 5)))
    assert flagged(gone) == {"lost-promoted", "phantoms", "order-promoted"}


def test_a_commit_in_doubt_may_be_missing_or_there():
    evidence = sound()
    there = keeping(Seen(ledger().sent()))
    assert flagged(evidence) == flagged(there) == set()


def test_a_commit_that_was_read_and_never_acknowledged_is_a_phantom():
    evidence = sound()
    read = replace(evidence, read=np.sort(np.append(evidence.read, keys((0, EACH + 1)))))
    assert flagged(read) == {"phantoms"} and result(read, "phantoms").offenders == ((0, EACH + 1),)


@pytest.mark.parametrize(
    ("changes", "called"),
    [
        ({"missing": 2}, {"lost-updates": "invalid"}),
        ({"stale": 1}, {"stale-reads": "invalid"}),
        ({"overwritten": 1, "stale": 1}, {"lost-updates": "invalid", "stale-reads": "unknown"}),
        ({"missing": None}, {"lost-updates": "unknown"}),
        ({"acknowledged": 0, "reads": 0}, {"lost-updates": "unknown", "stale-reads": "unknown"}),
    ],
)
def test_lost_updates_and_stale_reads_are_called(changes, called):
    evidence = replace(sound(), updates=replace(sound().updates, **changes))
    assert {name: outcome for name, outcome in outcomes(evidence).items() if outcome != "valid"} == called
    assert not any("check failed" in one.says for one in run_checks(ledger(), evidence))


def test_overwritten_and_missing_updates_are_added():
    both = replace(sound(), updates=replace(sound().updates, overwritten=2, missing=2))
    assert (result(both, "lost-updates").outcome, result(both, "lost-updates").count) == ("invalid", 4)


def test_a_member_of_a_group_whose_gtids_have_other_gaps_is_called():
    gaps = "u:1-7 on node 2, u:1-5:7 on node 1"
    back = replace(sound().rejoined, other_gtids=gaps)
    evidence = replace(sound(), rejoined=back)
    assert flagged(evidence) == {"rejoin"} and gaps in result(evidence, "rejoin").says
    assert result(evidence, "rejoin").count == 1
    assert flagged(replace(sound(), others=(("node 3", back),))) == {"others"}


def test_a_transaction_with_half_its_rows_is_called():
    evidence = sound()
    torn = replace(without_key(evidence.kept, (2, EACH)), parts=keys((2, EACH)))
    assert flagged(keeping(torn)) == {"lost-promoted", "phantoms", "torn-promoted"}


def test_a_check_without_a_transaction_on_the_new_primary_had_nothing_to_check():
    empty = run_checks(ledger(), keeping(Seen(keys())))
    idle = {one.key for one in empty if one.vacuous}
    assert idle == {"torn-promoted", "altered-promoted", "never-sent-promoted", "order-promoted", "gtid-rows"}
    assert not any(one.vacuous for one in run_checks(ledger(), sound()))


def test_a_doubled_row_is_called():
    """From rows as a server gives them: the digest is right, and the row is there twice."""
    row = keys((2, 10))  # a transaction of one row
    digest = digests(SECRET, row, np.array([0]))
    once = {("one", 0): Placed(row, digest)}
    twice = {("one", 0): Placed(np.repeat(row, 2), np.repeat(digest, 2))}
    assert not len(compare_tables.seen(once, SECRET).altered)
    found = compare_tables.seen(twice, SECRET)
    doubled = replace(sound(), kept=replace(sound().kept, altered=found.altered))
    assert flagged(doubled) == {"altered-promoted"} and found.twice.tolist() == row.tolist()


def test_an_altered_row_is_called():
    evidence = sound()
    assert flagged(replace(evidence, kept=replace(evidence.kept, altered=keys((2, 3))))) == {"altered-promoted"}


def test_a_row_that_nobody_sent_is_called():
    evidence = sound()
    more = replace(evidence.kept, whole=np.sort(np.append(evidence.kept.whole, keys((7, 1)))))
    assert flagged(keeping(more)) == {"never-sent-promoted"}
    assert flagged(replace(evidence, kept=more)) == {"never-sent-promoted", "gtid-rows"}, "and it has no GTID"


def test_an_acknowledgement_after_the_failover_is_called():
    assert flagged(replace(sound(), late=keys((0, 3)))) == {"late"}


def test_a_forged_acknowledgement_makes_all_unknown():
    true = ledger()
    times = true.clients[0].acknowledged_at_s.copy()
    times[-1] = 9.0
    forged = Ledger((replace(true.clients[0], acknowledged_at_s=times), *true.clients[1:]), true.seal)
    assert set(outcomes(sound(), forged).values()) == {"unknown"}


def test_a_new_primary_that_acknowledges_nothing_has_not_taken_over():
    idle = replace(sound(), after=Ledger(()).sealed(SECRET))
    assert flagged(idle) == {"takes-over"} and result(idle, "takes-over").count == 1


def test_a_gtid_that_names_another_transaction_on_the_new_primary_is_called():
    swapped = with_gtids(swapped=reissued({"0-1-7": 3, "0-1-8": 4}, {"0-1-7": 4, "0-1-8": 3}))
    assert flagged(swapped) == {"swapped"} and result(swapped, "swapped").count == 2
    assert "0-1-7, 0-1-8" in result(swapped, "swapped").says
    assert flagged(with_gtids(swapped=reissued({"0-1-7": 3}, {"0-1-7": 3, "0-2-8": 9}))) == set()


def test_a_gtid_without_rows_and_rows_without_a_gtid_are_called():
    there = sound().gtids.named
    more, less = np.sort(np.append(there, keys((1, EACH + 1)))), np.setdiff1d(there, keys((2, 5), (2, 6)))
    assert flagged(with_gtids(named=more)) == flagged(with_gtids(named=less)) == {"gtid-rows"}
    found = result(with_gtids(named=less), "gtid-rows")
    assert found.count == 2 and found.offenders == ((2, 5), (2, 6)) and "2 have rows and no GTID" in found.says
    assert outcomes(replace(sound(), gtids=None))["gtid-rows"] == "unknown"


def test_a_replica_that_logs_no_updates_has_no_gtids_to_compare():
    assert "gtid-rows" not in outcomes(replace(sound(), logs_updates=False, gtids=None))


@pytest.mark.parametrize(("value", "logs"), [("ON", True), ("1", True), ("TRUE", True), ("OFF", False), ("no", False)])
def test_each_spelling_says_whether_a_replica_logs_its_updates(value, logs):
    assert judge._logs_updates({"log_replica_updates": value}) == logs and judge._logs_updates({})


def test_errant_gtids_are_counted_and_fail_nothing():
    assert flagged(with_gtids(errant=("0-1-9",))) == set()


def test_an_old_primary_that_differs_without_an_error_is_called():
    silent = ReplicaSeen(REJOIN, "caught up", "", 4, only_follower=((1, 21),))
    assert flagged(replace(sound(), rejoined=silent)) == {"rejoin"}
    assert result(replace(sound(), rejoined=silent), "rejoin").offenders == ((1, 21),)


def test_an_old_primary_that_refuses_misleads_nobody():
    refused = replace(sound(), rejoined=ReplicaSeen(REJOIN, "stopped", "1236: diverged"))
    assert flagged(refused) == set()
    assert "must be rebuilt: 1236: diverged" in result(refused, "rejoin").says


def test_an_old_primary_of_unknown_state_is_unknown():
    unclear = result(replace(sound(), rejoined=ReplicaSeen(REJOIN, "unknown", "late")), "rejoin")
    assert unclear.outcome == "unknown"
    assert unclear.says == "Whether the old primary has the same rows is unclear: late"
    assert outcomes(replace(sound(), rejoined=ReplicaSeen(REJOIN, "caught up")))["rejoin"] == "unknown"


def test_an_old_primary_that_does_not_start_is_called():
    down = replace(sound(), stays_down="corrupt", rejoined=None)
    assert outcomes(down)["old-starts"] == "invalid" and outcomes(down)["rejoin"] == "unknown"
    assert result(down, "old-starts").count == 1


def test_whether_a_rebuilt_old_primary_would_have_started_is_not_judged():
    rebuilt = replace(sound(), rebuilt=True)
    assert outcomes(sound()).keys() - outcomes(rebuilt).keys() == {"old-starts"} and flagged(rebuilt) == set()
    silent = ReplicaSeen(REJOIN, "caught up", "", 4)
    assert flagged(replace(rebuilt, rejoined=silent)) == {"rejoin"}


def test_a_differing_replica_among_several_fails_the_check():
    good, bad = (ReplicaSeen(REJOIN, "caught up", "", rows) for rows in (0, 2))
    assert flagged(replace(sound(), others=(("replica 2", good), ("replica 3", bad)))) == {"others"}


def test_errant_gtids_of_another_replica_are_told_and_fail_nothing():
    good, ahead = (ReplicaSeen(REJOIN, "caught up", "", 0, errant=errant) for errant in ("", "domain 0: 8-9"))
    told = replace(sound(), others=(("replica 2", good), ("replica 3", ahead)))
    assert flagged(told) == set()
    assert result(told, "others").says == (
        "Replica 2 follows the primary and has the same rows. Replica 3 follows the primary and has the same rows. "
        "It has GTIDs that the primary lacks: domain 0: 8-9."
    )


def test_another_replica_that_stops_is_called_unless_the_fault_struck_it():
    others = (("replica 2", ReplicaSeen(REJOIN, "stopped", "1236: ahead")),)
    stopped = replace(sound(), others=others)
    assert flagged(stopped) == {"others"} and "1236: ahead" in result(stopped, "others").says
    assert result(stopped, "others").count == 1
    struck = replace(stopped, struck=frozenset({"replica 2"}))
    assert flagged(struck) == set() and "must be rebuilt: 1236: ahead" in result(struck, "others").says


def crashed(**changes):
    evidence = sound_replica()
    return replace(evidence, rejoined=replace(evidence.rejoined, **changes))


def test_an_acknowledged_commit_that_a_crashed_replica_lacks_is_called():
    """Also when the primary lacks it too, so that no row differs."""
    lacking = crashed(seen=without_key(sound_replica().rejoined.seen, (1, 3)))
    assert flagged(lacking) == {"crashed-replica"}
    assert result(lacking, "crashed-replica").offenders == ((1, 3),) and result(lacking, "crashed-replica").count == 1


def test_a_row_that_a_crashed_replica_applied_twice_is_called():
    twice = crashed(seen=Seen(ledger().sent(), twice=keys((0, 2), (0, 3))))
    assert flagged(twice) == {"crashed-replica"} and "2 are there twice" in result(twice, "crashed-replica").says
    both = crashed(seen=replace(without_key(twice.rejoined.seen, (1, 3)), twice=keys((0, 2), (0, 3))))
    assert result(both, "crashed-replica").count == 3


def test_a_row_that_differs_on_a_crashed_replica_is_called():
    assert flagged(crashed(different_rows=4)) == {"crashed-replica"}
    assert result(crashed(different_rows=4), "crashed-replica").count == 4


def test_a_crashed_replica_that_stops_with_an_error_says_it_word_for_word():
    stopped = crashed(state="stopped", error="1062: Duplicate entry", seen=None, different_rows=None)
    assert flagged(stopped) == set() and "1062: Duplicate entry" in result(stopped, "crashed-replica").says


@pytest.mark.parametrize("lack", [{"state": "unknown", "error": "late"}, {"seen": None}, {"different_rows": None}])
def test_a_crashed_replica_of_unknown_rows_is_unknown(lack):
    assert outcomes(crashed(**lack))["crashed-replica"] == "unknown"
    assert outcomes(replace(sound_replica(), rejoined=None))["crashed-replica"] == "unknown"


def test_checks_that_do_not_apply_are_left_out():
    away = replace(sound(), has_gtids=False, returns=False, stays_down=None, rejoined=None, others=())
    assert flagged(away) == set()
    left_out = CHECKS.keys() - outcomes(away).keys()
    assert left_out == {"swapped", "gtid-rows", "old-starts", "rejoin", "others", "crashed-replica"}


@pytest.mark.parametrize("piece", sorted(PIECES))
def test_without_its_evidence_a_check_is_unknown_and_says_why(piece):
    lacking = replace(sound(), **{piece: None}, problems=("the server hung up",))
    hit = {key for key, check in CHECKS.items() if piece in check.needs and key != "crashed-replica"}
    assert hit and {key for key, outcome in outcomes(lacking).items() if outcome == "unknown"} == hit
    assert all("the server hung up" in result(lacking, key).says for key in hit)


def test_every_piece_of_evidence_has_a_name():
    assert {need for check in CHECKS.values() for need in check.needs} == PIECES.keys()
    assert PIECES.keys() <= {field.name for field in fields(sound())}


def test_checks_without_any_transaction_are_unknown():
    empty = ledger(each=0)
    evidence = replace(sound(), kept=Seen(nothing()), read=nothing())
    assert outcomes(evidence, empty)["lost-promoted"] == outcomes(evidence, empty)["phantoms"] == "unknown"
    assert not any("check failed" in one.says for one in run_checks(empty, evidence))


def test_a_check_that_raises_is_unknown():
    evidence = replace(sound(), kept=Seen("no keys"))
    assert outcomes(evidence)["lost-promoted"] == "unknown"
