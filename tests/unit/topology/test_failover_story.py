"""The figures of a failover against ledgers whose answers are known."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from tests.unit.topology.failures import SECRET, keys
from workers.crash.evidence import ReplicaSeen, Seen
from workers.crash.ledger import ClientLedger, Ledger
from workers.crash.setup_and_result import LostWork
from workers.crash.witness import Refusal
from workers.topology.chain import Returned
from workers.topology.faults import FAULTS
from workers.topology.judge import judge
from workers.topology.setup_and_result import FailoverSetup
from workers.topology.takeover import REJOIN
from workers.topology.topology import parse

FIRST_CLIENT_AFTER = 2000


def clients(began, *times, first=0, refused=()):
    """Each client's answers, in seconds since the load began; `began`: monotonic clock."""
    ledgers = tuple(ClientLedger(first + n, len(mine), np.array(mine)) for n, mine in enumerate(times))
    return SimpleNamespace(began=began, ledger=lambda: Ledger(ledgers).sealed(SECRET), refusals=lambda: refused)


def node(name):
    return SimpleNamespace(name=name, sandbox=SimpleNamespace(my_cnf="", log_text=""))


def returned(fault="primary-host-loss", topology="async+replicas=2", **changes):
    """Struck at 1.0 s, the fault took 0.5 s; promoted at 11.8, read for 0.1 s, logged in until 12.0, answered at 12.25;
    of six commits the new primary lacks two."""
    setup = FailoverSetup(
        root=Path("/"),
        build=SimpleNamespace(flavour="mariadb"),
        name="",
        topology=parse(topology),
        settings={},
        fault=fault,
        seed=1,
    )
    primary, *replicas = (node(name) for name in ("primary", "replica 1", "replica 2"))
    kept = Seen(keys((0, 1), (0, 2), (1, 1), (1, 2)))
    known = {
        "setup": setup, "fault": FAULTS[fault], "ports": None, "made": None, "secret": SECRET,
        "timeline": SimpleNamespace(step=lambda name: None, steps=tuple), "primary": primary,
        "replicas": tuple(replicas), "wires": (), "links": (),
        "witness": clients(10.0, (0.1, 0.2, 0.9), (0.1, 0.2, 0.8)),
        "reader": SimpleNamespace(rounds=4, read=lambda sent: keys((0, 1), (0, 2), (0, 3))), "semi_sync": None,
        "struck_at": 11.0, "strike_s": 0.5, "new": replicas[0], "kept": kept, "alone": {}, "positions": {},
        "noticed_from": 11.5,
        "promoted_at": 11.8, "detection_s": 0.1, "failover_s": 0.2, "reading_s": 0.1, "login_s": 0.1,
        "after": clients(12.0, (0.25, 0.3), first=FIRST_CLIENT_AFTER), "problems": (), "returns": True,
        "old": Seen(keys((0, 1), (0, 2), (0, 3), (1, 1), (1, 2), (1, 3), (1, 4))), "stays_down": "",
        "rejoined": ReplicaSeen(REJOIN, "stopped", "1236"),
        "others": (("replica 2", ReplicaSeen(REJOIN, "caught up", "", 0, Seen(keys((0, 1), (1, 1))))),),
    }  # fmt: skip
    return Returned(**known | changes)


def test_the_figures_of_a_failover_are_those_of_its_ledger():
    result = judge(returned()).result
    story = result.story
    assert (result.acknowledged, result.lost.transactions, story.phantoms) == (6, 2, 1)
    assert (story.ghosts, story.ghosts_acknowledged) == (3, 2)
    assert story.holds == {"primary": 6, "replica 1": 4, "replica 2": 2}


def test_lost_commits_reach_to_the_fault():
    assert judge(returned()).result.lost.ms == pytest.approx(200)  # from 0.8 s to the fault at 1.0 s


def test_a_primary_that_goes_on_loses_commits_after_the_fault_too():
    witness = clients(10.0, (0.1, 0.2, 0.9), (0.1, 0.2, 3.4))
    assert judge(returned(witness=witness)).result.lost.ms == pytest.approx(2500)


def test_no_lost_commit_gives_a_lost_time_of_zero():
    everything = Seen(returned().witness.ledger().acknowledged())
    assert judge(returned(kept=everything)).result.lost == LostWork(0, 0.0)


def test_the_outage_leaves_out_the_work_of_the_trial():
    """The answers came at 10.9 s and 12.25 s. The fault took 0.5 s, and rows were read for 0.1 s."""
    outage = returned().outage
    parts = (outage.detection_s, outage.failover_s, outage.login_s, outage.answered_s)
    assert outage.total_s == pytest.approx(1.35 - 0.5 - 0.1) and parts == (0.1, 0.2, 0.1, 0.25)
    before = 11.0 - 10.9  # between the last answer and the fault
    assert outage.total_s == pytest.approx(before + sum(parts))


def test_recovery_and_applying_are_parts_of_the_failover():
    outage = returned(detection_s=None, noticed_from=11.6, recovery_s=0.05, applying_s=0.03).outage
    assert (outage.recovery_s, outage.applying_s, outage.promotion_s) == (0.05, 0.03, pytest.approx(0.12))
    assert outage.detection_s is None, "nobody measured it"
    known = (outage.recovery_s, outage.applying_s, outage.promotion_s, outage.login_s, outage.answered_s)
    before = 11.0 - 10.9  # between the last answer and the fault
    assert outage.total_s == pytest.approx(before + sum(known))


def test_a_refused_commit_is_not_in_doubt_and_is_listed_by_node_and_time():
    refused = (Refusal(0, 1.5, "1290: read-only"), Refusal(1, 1.1, "1047: not prepared"), Refusal(0, 1.2, "1180: no"))
    witness = clients(10.0, (0.1, np.nan), (0.1, np.nan), (0.1, np.nan), (0.1, np.nan), refused=refused)
    after = clients(12.0, (0.25, 0.3), first=FIRST_CLIENT_AFTER, refused=(Refusal(0, 0.4, "1205: late"),))
    result = judge(returned(witness=witness, after=after)).result
    assert (result.sent, result.acknowledged, result.in_doubt) == (8, 4, 1)
    first, second, third = result.story.refused
    assert (first.node, first.count, first.says) == ("replica 1", 1, "1047: not prepared")
    assert (second.node, second.count, second.says) == ("primary", 2, "1180: no")
    assert (second.first_s, second.last_s) == (1.2, 1.5) and (third.node, third.says) == ("replica 1", "1205: late")
    assert judge(returned()).result.story.refused == ()


def test_an_answer_that_came_during_the_fault_ends_later():
    witness = clients(10.0, (0.1, 0.2, 1.2), (0.1,))
    assert returned(witness=witness).outage.total_s == pytest.approx((12.25 - 11.2) - (11.5 - 11.2) - 0.1)


def test_nodes_that_notice_the_fault_while_it_happens_wait_for_all_of_it():
    assert returned(noticed_from=11.0).outage.total_s == pytest.approx(1.35 - 0.1)


def test_without_a_silence_between_both_there_is_no_outage():
    assert returned(witness=clients(10.0, (0.1, 2.0))).outage is None
    assert returned(after=clients(12.0)).outage is None and returned(witness=clients(10.0)).outage is None
    assert returned(fault="replica-kill").outage is None


def test_the_commits_of_the_new_primary_are_drawn_where_the_outage_ends():
    """The last answer at 0.9 s and 0.75 s without commits: the first one comes at 1.65 s."""
    after = judge(returned()).result.story.after_per_100_ms
    assert next(n for n, count in enumerate(after) if count) == 16 and sum(after) == 2


def test_a_replica_that_stopped_after_its_crash_is_counted_and_not_judged():
    """It says that it is to be rebuilt, so what it lacks is no silent loss."""
    stopped = ReplicaSeen(REJOIN, "stopped", "1062", seen=Seen(keys((0, 1))))
    of_replica = {"fault": "replica-kill", "returns": False, "old": None, "rejoined": stopped}
    result = judge(returned(**of_replica, new=returned().primary, kept=returned().old)).result
    assert result.lost_replica is None and result.story.holds["replica 1"] == 1
    back = replace(stopped, state="caught up", error="", different_rows=5)
    assert judge(returned(**of_replica | {"rejoined": back})).result.lost_replica.transactions == 5
