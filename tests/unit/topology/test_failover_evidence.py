"""The step from a failover that is over to its evidence, and to the cause of what it lost."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from tests.unit.topology.failures import keys
from tests.unit.topology.test_failover_story import clients, reconnected, returned
from workers.crash.evidence import ReplicaSeen, Seen
from workers.topology.cause import FELL_BACK
from workers.topology.judge import evidence_of, judge
from workers.topology.setup_and_result import SemiSyncCounters
from workers.topology.takeover import REJOIN

ASYNCHRONOUS = "The primary acknowledged commits that no replica had received yet (asynchronous replication)."


def everything(**changes):
    return Seen(returned(**changes).witness.ledger().acknowledged())


def test_an_acknowledgement_after_the_promotion_is_late_unless_the_new_primary_has_the_commit():
    """Promoted 1.75 s after the load began; one answer came in that moment."""
    late = {"witness": clients(10.0, (0.1, 1.75, 1.9), (0.2, 3.4)), "promoted_at": 11.75}
    assert evidence_of(returned(**late, kept=None)).late.tolist() == keys((0, 3), (1, 2)).tolist()
    kept = Seen(keys((0, 1), (1, 2)))
    assert evidence_of(returned(**late, kept=kept)).late.tolist() == keys((0, 3)).tolist()
    outcomes = {one.key: one.outcome for one in judge(returned(**late, kept=kept)).checks}
    assert outcomes["late"] == "invalid"


def test_where_a_cluster_cannot_be_read_an_acknowledgement_of_a_paused_node_is_not_known_to_be_late():
    """It may have acknowledged what all nodes have."""
    late = {"witness": clients(10.0, (0.1, 1.9)), "promoted_at": 11.75, "kept": None}
    assert evidence_of(returned("primary-pause", "galera", **late)).late is None
    early = {**late, "promoted_at": 12.0}
    assert evidence_of(returned("primary-pause", "galera", **early)).late.tolist() == []


@pytest.mark.parametrize(
    ("lacks", "outcome"), [("", "invalid"), ("it was ended by signal 9 (SIGKILL)", "unknown")], ids=["silent", "killed"]
)
def test_a_new_primary_that_the_host_ended_is_not_one_that_takes_no_writes(lacks, outcome):
    silent, new = reconnected(), SimpleNamespace(name="replica 1", sandbox=SimpleNamespace(lacks=lambda: lacks))
    new.sandbox.my_cnf = new.sandbox.log_text = ""
    known = returned(after=silent, new=new)
    known = replace(known, replicas=(new, known.replicas[1]))
    told = {one.key: one for one in judge(known).checks}["takes-over"]
    assert told.outcome == outcome and (not lacks or "replica 1 lacks something of its host" in told.says)


def test_a_reader_that_never_got_an_answer_is_no_evidence():
    assert evidence_of(returned()).read.tolist() == keys((0, 1), (0, 2), (0, 3)).tolist()
    idle = SimpleNamespace(rounds=0, read=lambda sent: keys())
    assert evidence_of(returned(reader=idle)).read is None


@pytest.mark.parametrize(("policy", "rebuilt"), [("careful", False), ("old-rebuilt", True)])
def test_the_policy_says_whether_the_old_primary_was_rebuilt(policy, rebuilt):
    assert evidence_of(returned(topology=f"async+replicas=2+policy={policy}")).rebuilt is rebuilt


def test_only_nodes_that_the_fault_struck_may_stop():
    assert evidence_of(returned()).struck == {"primary"}
    assert evidence_of(returned("kill:primary+replica2")).struck == {"primary", "replica 2"}


@pytest.mark.parametrize(("returns", "links", "has_gtids"), [(True, 1, True), (True, 0, False), (False, 1, False)])
def test_gtids_are_compared_where_the_old_primary_returns_to_replication(returns, links, has_gtids):
    assert evidence_of(returned(returns=returns, links=(None,) * links)).has_gtids is has_gtids


def because(**changes):
    return judge(returned(**changes)).result.story.because


def test_a_cause_is_told_only_of_commits_that_were_lost():
    assert because() == ASYNCHRONOUS
    nothing_read = SimpleNamespace(rounds=4, read=lambda sent: keys())
    assert because(kept=everything(), reader=nothing_read) == because(kept=None) == ""


def test_commits_that_were_read_and_then_gone_have_their_own_cause():
    """The reader saw a commit that nobody had acknowledged."""
    witness = clients(10.0, (0.1, np.nan), (0.1,))
    seen = {"witness": witness, "reader": SimpleNamespace(rounds=1, read=lambda sent: sent)}
    semi_sync = "semi-sync+replicas=2+wait=AFTER_COMMIT"
    kept = everything(witness=witness)
    assert "AFTER_COMMIT" in because(**seen, kept=kept, topology=semi_sync)
    assert because(**seen, kept=Seen(witness.ledger().sent()), topology=semi_sync) == ""


@pytest.mark.parametrize(
    ("counters", "strike_s", "fell_back", "says"),
    [
        (None, 9.0, None, ""),
        (SemiSyncCounters(9, 0), 0.5, False, ""),
        (SemiSyncCounters(9, 1), 0.5, True, FELL_BACK),
        (SemiSyncCounters(9, 0), 2.0, True, FELL_BACK),
    ],
)
def test_a_primary_fell_back_if_it_counted_so_or_could_not_be_asked_in_time(counters, strike_s, fell_back, says):
    story = judge(
        returned(topology="semi-sync+replicas=2+timeout=1s", semi_sync=counters, strike_s=strike_s)
    ).result.story
    assert (story.fell_back, story.because) == (fell_back, says)


@pytest.mark.parametrize(
    ("held", "replicas", "cause"),
    [
        (keys((0, 1), (1, 1)), 2, FELL_BACK),
        (keys((0, 3), (1, 3)), 2, "Another replica held"),
        (keys((0, 3)), 2, FELL_BACK),
        (None, 2, ""),
        (keys((0, 1)), 3, ""),
    ],
    ids=["on none", "on the other one", "one of two on the other one", "unread", "a host that stays away"],
)
def test_a_fallback_is_the_cause_only_of_commits_that_no_replica_holds(held, replicas, cause):
    """The new primary lacks (0, 3) and (1, 3)."""
    known = returned(topology="semi-sync+replicas=2+timeout=1s", semi_sync=SemiSyncCounters(9, 1))
    back = replace(known.others[0][1], seen=None if held is None else Seen(held))
    known = replace(known, others=(("replica 2", back),), replicas=known.replicas + known.replicas[: replicas - 2])
    because = judge(known).result.story.because
    assert because.startswith(cause) and bool(because) is bool(cause)


@pytest.mark.parametrize(
    ("lacks", "twice", "has_cause"), [((), (), False), (((0, 2),), (), True), ((), ((0, 2),), True)]
)
def test_a_cause_is_told_of_a_replica_that_lost_or_doubled_commits(lacks, twice, has_cause):
    whole = everything().whole
    seen = Seen(np.setdiff1d(whole, keys(*lacks)), twice=keys(*twice))
    back = ReplicaSeen(REJOIN, "caught up", "", 0, seen)
    of_replica = returned("replica-kill", returns=False, old=None, rejoined=back, kept=Seen(whole))
    of_mysql = replace(of_replica, setup=replace(of_replica.setup, build=SimpleNamespace(flavour="mysql")))
    story = judge(of_mysql).result.story
    assert story.because.startswith("MySQL finds the position") is has_cause and bool(story.because) is has_cause
    assert judge(replace(of_mysql, rejoined=replace(back, state="unknown"))).result.story.because == ""


def test_a_place_that_was_not_read_is_not_listed():
    held = judge(returned(kept=None, old=None)).result.story
    assert held.holds == {"replica 2": 2} and (held.phantoms, held.ghosts, held.ghosts_acknowledged) == (None,) * 3
    back = ReplicaSeen(REJOIN, "caught up", "", 0, Seen(keys((0, 1))))
    assert judge(returned(old=None, rejoined=back)).result.story.holds["primary"] == 1
    assert "primary" not in judge(returned(old=None, rejoined=None)).result.story.holds


def test_the_step_of_the_checks_is_told():
    told = []
    judge(returned(timeline=SimpleNamespace(step=told.append, steps=tuple)))
    assert told == ["checks"]
