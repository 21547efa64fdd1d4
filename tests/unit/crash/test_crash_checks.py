"""Each check is seen to find what it is for, and to stay quiet where all is well."""

from dataclasses import replace

import numpy as np
import pytest

from tests.unit.crash.case import SENT, all_well, along_with, bad, in_order, judged, keys, ledger, without
from workers.crash import checks
from workers.crash.checks import CHECKS, run_checks
from workers.crash.evidence import Evidence, Oddities, ReplicaSeen
from workers.crash.judge import lost_work
from workers.crash.transactions import NOBODY, key
from workers.crash.verdict import CheckResult, verdict

WELL = all_well().engine


def test_all_checks_pass_where_all_is_well():
    found = judged(all_well())
    assert bad(all_well()) == {}
    assert set(found) == set(checks.CHECKS)
    assert verdict(tuple(found.values())) == "valid"


def test_a_server_that_stays_down_is_found():
    found = judged(all_well(stays_down="InnoDB: Unable to open undo tablespace"))
    assert found["stays-down"].outcome == "invalid"
    assert found["stays-down"].count == 1
    assert "does not recover without help: InnoDB: Unable to open" in found["stays-down"].says


def test_of_a_server_that_does_not_come_back_the_binlog_still_tells():
    """Its rows cannot be read: what the engine lost is unknown, and not nothing."""
    down = all_well(engine=None, stays_down="refused", prepared_left=None, tables_ok=None, replicas=())
    lost = without(WELL, (1, SENT - 1))
    found = bad(replace(down, binlog=replace(down.binlog, seen=lost)))
    assert {key for key, outcome in found.items() if outcome == "invalid"} == {"stays-down", "lost-binlog"}
    assert found["lost-engine"] == found["engine-only"] == found["replica"] == "unknown"


def test_a_transaction_in_doubt_may_be_there_or_not():
    both = along_with(WELL, (0, SENT), (2, SENT))
    assert bad(all_well(engine=both, binlog=both)) == {}


def test_an_acknowledged_transaction_lost_in_the_engine_is_found():
    found = judged(all_well(engine=without(WELL, (1, SENT - 1))))
    assert found["lost-engine"].count == 1
    assert found["lost-engine"].offenders == ((1, SENT - 1),)
    assert found["lost-engine"].says == (
        f"1 of {3 * (SENT - 1)} acknowledged transactions are missing in the engine, "
        f"the first is transaction {SENT - 1} of client 1."
    )


def test_an_acknowledged_transaction_lost_in_the_binlog_is_found():
    lost = without(WELL, (0, SENT - 2), (0, SENT - 1))
    assert bad(all_well(binlog=lost)) == {"lost-binlog": "invalid", "engine-only": "invalid"}


@pytest.mark.parametrize(("place", "check"), [("engine", "engine-only"), ("binlog", "binlog-only")])
def test_a_transaction_in_only_one_of_engine_and_binlog_is_found(place, check):
    """An undecided transaction may be there, but then in both."""
    found = judged(all_well(**{place: along_with(WELL, (2, SENT))}))
    assert (found[check].outcome, found[check].offenders) == ("invalid", ((2, SENT),))
    assert found["lost-engine"].outcome == found["lost-binlog"].outcome == "valid"


@pytest.mark.parametrize("place", ["engine", "binlog"])
def test_half_a_transaction_is_found(place):
    """Number 4 writes one row in each of two tables."""
    torn = replace(without(WELL, (1, 4)), parts=keys((1, 4)))
    found = judged(all_well(**{place: torn}))
    assert (found["torn"].outcome, found["torn"].count, found["torn"].offenders) == ("invalid", 1, ((1, 4),))
    assert found[f"lost-{place}"].count == 1


@pytest.mark.parametrize("stranger", [(0, SENT + 1), (7, 1)])
@pytest.mark.parametrize("place", ["engine", "binlog"])
def test_a_transaction_that_nobody_sent_is_found(place, stranger):
    found = judged(all_well(**{place: along_with(WELL, stranger)}))
    assert (found["never-sent"].outcome, found["never-sent"].offenders) == ("invalid", (stranger,))


@pytest.mark.parametrize("place", ["engine", "binlog"])
def test_a_gap_before_a_later_commit_is_found(place):
    found = judged(all_well(**{place: without(WELL, (1, 3))}))
    assert (found["order"].outcome, found["order"].offenders) == ("invalid", ((1, 3),))


def test_a_lost_tail_is_no_gap():
    """A client's last transactions are gone; other clients' later ones are no reason to complain of their order."""
    tail = [(0, n) for n in range(20, SENT)]
    assert judged(all_well(engine=without(WELL, *tail)))["order"].outcome == "valid"
    assert judged(all_well(engine=without(WELL, *[(2, n) for n in range(1, SENT)])))["order"].outcome == "valid"


def test_where_nothing_is_left_nothing_was_overtaken():
    found = judged(all_well(engine=replace(WELL, whole=keys())))
    assert (found["order"].outcome, found["lost-engine"].outcome) == ("valid", "invalid")


def test_an_empty_binary_log_leaves_nothing_to_check():
    found = judged(all_well(binlog=replace(WELL, whole=keys()), state={"order": keys()}))
    vacuous = {key for key, one in found.items() if one.vacuous}
    assert vacuous == {"binlog-only", "binlog-twice", "binlog-foreign", "binlog-order"}
    assert found["binlog-order"].says == "Nothing to check: no transaction of the clients is in the binary log."
    assert {key for key, one in found.items() if one.outcome == "invalid"} == {"lost-binlog", "engine-only"}


def test_empty_tables_and_an_empty_binary_log_leave_nothing_to_check():
    gone = replace(WELL, whole=keys())
    found = judged(all_well(engine=gone, binlog=gone, state={"order": keys()}))
    assert found["torn"].says.endswith("is in the engine or in the binary log.")
    assert all(found[key].vacuous for key in ("torn", "altered", "never-sent", "order", "engine-only"))
    replica = ReplicaSeen("after recovery", "caught up", "", 0, WELL)
    assert not judged(all_well(engine=gone, binlog=gone, replicas=(replica,)))["altered"].vacuous


def test_a_single_transaction_is_enough_to_check():
    one = replace(WELL, whole=keys((0, 1)))
    assert not any(check.vacuous for check in judged(all_well(engine=one, binlog=one)).values())


def test_an_empty_binary_log_with_a_foreign_event_fails():
    found = judged(all_well(binlog=replace(WELL, whole=keys()), state={"odd": Oddities(1, ("a DROP",))}))
    assert (found["binlog-foreign"].outcome, found["binlog-foreign"].vacuous) == ("invalid", False)


def test_the_first_transaction_that_is_left_may_be_the_later_one():
    others = [(client, n) for client in (1, 2) for n in range(1, SENT)]
    left = replace(WELL, whole=keys((0, 2), *others))
    assert judged(all_well(engine=left))["order"].offenders == ((0, 1),)


def test_a_transaction_that_is_twice_in_the_binlog_is_found():
    assert bad(all_well(binlog=replace(WELL, twice=keys((0, 9))))) == {"binlog-twice": "invalid"}


def test_reused_gtids_are_found():
    found = judged(all_well(reissued=("0-1-1", "0-1-2"), gtid_after="0-1-0"))
    assert (found["gtid-reused"].outcome, found["gtid-reused"].count) == ("invalid", 2)
    assert "0-1-1, 0-1-" in found["gtid-reused"].says, "each GTID is named"
    assert found["gtid-reused"].says.endswith("the server numbers transactions again after 0-1-0.")
    assert judged(all_well(reissued=("0-1-1",)))["gtid-reused"].says.endswith(
        "the server numbers transactions again from the beginning."
    )
    assert bad(all_well(state={"reused": ("0-1-7",)})) == {"gtid-reused": "invalid"}


@pytest.mark.parametrize(
    ("reused", "count", "more"),
    [(1, "1 GTID has", ""), (2, "2 GTIDs have", ""), (10, "10 GTIDs have", ""), (12, "12 GTIDs have", " and 2 more")],
)
def test_of_many_reused_gtids_the_first_ten_are_named_and_the_others_counted(reused, count, more):
    names = [f"0-1-{n}" for n in range(1, reused + 1)]
    assert judged(all_well(reissued=tuple(names)))["gtid-reused"].says == (
        f"{count} two transactions: one was acknowledged before the crash, and the test wrote one after the recovery "
        f"({', '.join(names[:10])}{more}). After the crash the server numbers transactions again from the beginning."
    )


def test_a_binlog_that_no_replica_can_read_is_found():
    evidence = all_well(state={"unreadable": "binlog.000001 is torn"})
    assert bad(evidence) == {"binlog-unreadable": "invalid"}
    assert judged(evidence)["binlog-unreadable"].count == 1


def test_prepared_transactions_and_damaged_tables_are_found():
    assert bad(all_well(prepared_left=2)) == {"prepared-left": "invalid"}
    assert judged(all_well(prepared_left=2))["prepared-left"].count == 2
    assert bad(all_well(tables_ok=False)) == {"tables-damaged": "invalid"}
    assert judged(all_well(tables_ok=False))["tables-damaged"].count == 1


@pytest.mark.parametrize(
    ("state", "rows", "outcome"),
    [
        ("stopped", None, "invalid"),
        ("caught up", 3, "invalid"),
        ("caught up", None, "unknown"),
        ("unknown", 0, "unknown"),
    ],
)
@pytest.mark.parametrize("moment", [0, 1])
def test_a_replica_that_stopped_or_differs_is_found(moment, state, rows, outcome):
    seen = list(all_well().replicas)
    seen[moment] = ReplicaSeen(seen[moment].moment, state, "1236: bogus data in log event", rows)
    assert bad(all_well(replicas=tuple(seen))) == {"replica": outcome}


def test_an_old_primary_that_cannot_rejoin_is_no_failure_of_the_setting():
    rejoin = ReplicaSeen("the old primary rejoins the promoted replica", "stopped", "1236: ...")
    assert bad(all_well(replicas=(*all_well().replicas, rejoin))) == {}


@pytest.mark.parametrize(
    ("lacking", "unknown"),
    [
        ({"engine": None}, {"lost-engine", "engine-only", "binlog-only", "torn", "altered", "never-sent", "order"}),
        ({"rewritten": None}, {"binlog-rewritten"}),
        ({"prepared_left": None}, {"prepared-left"}),
        ({"tables_ok": None}, {"tables-damaged"}),
        ({"gtids_known": False}, {"gtid-reused"}),
        ({"replicas": ()}, {"replica"}),
    ],
)
def test_unreadable_evidence_gives_unknown_and_never_valid(lacking, unknown):
    found = judged(all_well(**lacking, problems=("engine rows: gone away",)))
    assert {key for key, result in found.items() if result.outcome == "unknown"} == unknown
    assert {found[key].count for key in unknown} == {0}
    assert verdict(tuple(found.values())) == "unknown"


def test_a_binlog_that_should_be_there_and_is_not_makes_its_checks_unknown():
    evidence = replace(all_well(), binlog=None, problems=("binlog: encrypted",))
    found = judged(evidence)
    assert set(bad(evidence)) == {key for key, check in CHECKS.items() if "binlog" in check.needs}
    assert "encrypted" in found["lost-binlog"].says


def test_without_a_binlog_or_replica_their_checks_are_left_out():
    found = judged(
        replace(all_well(), binlog=None, binlog_expected=False, replicas=(), replica_expected=False, outage=None)
    )
    always = {"stays-down", "lost-engine", "torn", "altered", "never-sent", "order", "prepared-left", "tables-damaged"}
    assert set(found) == always
    assert verdict(tuple(found.values())) == "valid"
    assert {result.key for result in run_checks(ledger(), Evidence(WELL, None, binlog_expected=False))} == always


def test_without_gtids_only_their_check_is_left_out():
    assert set(judged(all_well(gtids_expected=False))) == set(CHECKS) - {"gtid-reused"}


def test_no_evidence_at_all_is_unknown_in_every_check():
    nothing_read = Evidence(None, None, replica_expected=True, gtids_known=False)
    found = run_checks(ledger(), nothing_read)
    assert {result.outcome for result in found} == {"unknown"}
    assert {result.key for result in found} == set(CHECKS) - {"client-back"}
    assert verdict(found) == verdict(()) == "unknown"
    assert found[1].says == "Unclear: engine could not be read (it was not read)."


def test_a_check_that_breaks_is_unknown(monkeypatch):
    def broken(ledger, evidence):
        raise ZeroDivisionError("oh")

    monkeypatch.setitem(checks.CHECKS, "order", replace(checks.CHECKS["order"], judge=broken))
    assert bad(all_well()) == {"order": "unknown"}
    assert "ZeroDivisionError" in judged(all_well())["order"].says


def test_a_check_that_uses_more_than_it_needs_is_unknown(monkeypatch):
    monkeypatch.setitem(checks.CHECKS, "order", replace(checks.CHECKS["lost-binlog"], needs=()))
    found = judged(replace(all_well(), binlog=None))["order"]
    assert (found.outcome, found.says) == (
        "unknown", "The check failed: LookupError: it uses evidence that is not in its `needs`."
    )  # fmt: skip


def test_a_load_that_achieved_nothing_proves_nothing():
    idle = type(ledger())(())
    found = {result.key: result for result in checks.run_checks(idle, all_well(engine=WELL))}
    assert found["lost-engine"].outcome == "unknown"
    assert found["lost-engine"].says == "Nothing was acknowledged before the crash, so nothing could be lost."


@pytest.mark.parametrize("place", ["engine", "binlog"])
def test_a_missing_transaction_before_the_last_one_is_a_gap(place):
    found = judged(all_well(**{place: without(WELL, (1, SENT - 2))}))
    assert (found["order"].outcome, found["order"].offenders) == ("invalid", ((1, SENT - 2),))


def test_ten_offenders_are_named_and_all_are_counted():
    lost = [(1, n) for n in range(5, 20)]
    found = judged(all_well(engine=without(WELL, *lost)))["lost-engine"]
    assert (found.count, found.offenders) == (15, tuple(lost[:10]))


def test_a_check_that_finds_nothing_counts_nothing():
    assert {result.count for result in judged(all_well()).values()} == {0}


@pytest.mark.parametrize(
    ("outcomes", "says"),
    [
        (("valid", "valid"), "valid"),
        (("valid", "unknown"), "unknown"),
        (("invalid", "unknown", "valid"), "invalid"),
        (("unknown", "invalid"), "invalid"),
        ((), "unknown"),
    ],
)
def test_the_verdict_is_the_worst_outcome(outcomes, says):
    assert verdict(tuple(CheckResult("", outcome, 0, "") for outcome in outcomes)) == says


def test_a_check_that_fails_decides_although_a_later_one_raises(monkeypatch):
    def fail(ledger, evidence):
        raise ZeroDivisionError("oh")

    monkeypatch.setitem(CHECKS, "torn", replace(CHECKS["torn"], judge=fail))
    for engine, says in ((WELL, "unknown"), (without(WELL, (1, 5)), "invalid")):
        found = run_checks(ledger(), all_well(engine=engine))
        assert verdict(found) == says
        assert {one.key: one.outcome for one in found}["torn"] == "unknown"


@pytest.mark.parametrize("place", ["engine", "binlog"])
def test_altered_rows_are_found(place):
    spoilt = replace(without(WELL, (1, 5)), altered=keys((1, 5)), filled=keys((1, 5)))
    found = judged(all_well(**{place: spoilt}))
    assert (found["altered"].outcome, found["altered"].offenders) == ("invalid", ((1, 5),))
    others = [one.key for one in found.values() if one.outcome != "valid"]
    assert others == ["altered"], "it is not missing, too, and the other place has no more than this one"
    assert lost_work(ledger(), spoilt, 9.0).transactions == 0


def test_altered_rows_on_replica_and_primary_are_found():
    first, second = all_well().replicas
    spoilt = replace(second, seen=replace(WELL, altered=keys((1, 5))))
    assert bad(all_well(replicas=(first, spoilt))) == {"altered": "invalid"}


def test_altered_rows_of_nobody_were_never_sent():
    assert bad(all_well(engine=replace(WELL, altered=keys((9, 1))))) == {"altered": "invalid", "never-sent": "invalid"}


def test_events_of_the_binlog_that_the_witness_did_not_cause_are_found():
    odd = {"odd": Oddities(1, ("an incident",))}
    found = judged(all_well(state=odd))["binlog-foreign"]
    assert (found.outcome, found.count) == ("invalid", 1)
    assert found.says == "1 events in the binary log did not come from the client: an incident."
    assert bad(all_well(state=odd, others_write=True)) == {"binlog-foreign": "invalid"}
    assert bad(all_well(state={"scattered": keys((1, 5))})) == {"binlog-foreign": "invalid"}


def test_only_an_owners_server_may_commit_what_is_not_the_witnesss():
    others = {"others": Oddities(2, ("the statement 'DROP TABLE t'",))}
    assert bad(all_well(state=others)) == {"binlog-foreign": "invalid"}
    assert bad(all_well(state=others, others_write=True)) == {}


def test_gaps_of_gtids_and_a_rewritten_binlog_are_found():
    assert bad(all_well(state={"gaps": Oddities(1, ("0-1-9 after 0-1-7",))})) == {"binlog-order": "invalid"}
    assert bad(all_well(rewritten=Oddities(1, ("binlog.000001:77",)))) == {"binlog-rewritten": "invalid"}


def swapped(first: int, second: int):
    order = in_order().copy()
    order[[first, second]] = order[[second, first]]
    return {"order": order}


def test_transactions_in_another_order_than_acknowledged_are_found():
    """Client 0's number 5 was acknowledged before client 1 sent its number 6, or client 0 its own."""
    zero_5, one_6, zero_6 = (in_order().tolist().index(one) for one in keys((0, 5), (1, 6), (0, 6)))
    for later in (one_6, zero_6):
        assert bad(all_well(state=swapped(zero_5, later))) == {"binlog-order": "invalid"}


def test_transactions_that_were_under_way_at_the_same_time_have_no_order():
    zero_5, two_5 = (in_order().tolist().index(one) for one in keys((0, 5), (2, 5)))
    assert bad(all_well(state=swapped(zero_5, two_5))) == {}
    assert bad(all_well(state={"order": keys()})) == {}


def test_a_transaction_that_was_not_sent_does_not_break_the_order():
    """It is told by its own check."""
    order = np.append(in_order(), keys((9, 1)))
    assert bad(all_well(state={"order": order})) == {}


def test_against_a_ledger_that_is_not_sound_nothing_is_known():
    sound = ledger().sealed(b"secret")
    evidence = all_well(secret=b"secret")
    assert {result.outcome for result in run_checks(sound, evidence)} == {"valid"}
    for other in (ledger(), replace(sound, clients=sound.clients[:2]), ledger().sealed(b"another")):
        found = run_checks(other, evidence)
        assert {result.outcome for result in found} == {"unknown"}
        assert "is not reliable: it is not the one that the witness wrote" in found[0].says


def test_a_row_that_no_client_can_have_written_is_said_and_named_as_nobodys():
    """Its key stands for any client and number out of bounds: as figures they would be -1 and 1,099,511,627,775."""
    stranger = np.array([NOBODY, key(1, 5)], dtype=np.int64)
    found = judged(all_well(engine=replace(without(WELL, (1, 5)), altered=stranger)))
    assert found["altered"].says.endswith("2 transactions have rows that differ from what was written, "
                                          "the first is a row whose client or number cannot exist.")  # fmt: skip
    assert (found["altered"].count, found["altered"].offenders) == (2, ((1, 5),))
    assert found["never-sent"].says.endswith("a row whose client or number cannot exist.")
    assert (found["never-sent"].count, found["never-sent"].offenders) == (1, ())
