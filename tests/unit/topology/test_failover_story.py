"""The figures of a failover against ledgers whose answers are known."""

import threading
from dataclasses import fields, replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from tests.unit.topology.failures import SECRET, keys
from workers.crash.client import ConnectionLedger, Refusal
from workers.crash.evidence import ReplicaSeen, Seen
from workers.crash.ledger import ClientLedger, Ledger
from workers.crash.made import Made
from workers.crash.setup_and_result import LostWork
from workers.crash.transactions import key
from workers.topology.answers import answered
from workers.topology.chain import LAST_ANSWER_S, FailoverPorts, Promoted, Returned
from workers.topology.faults import FAULTS
from workers.topology.judge import judge
from workers.topology.reconnected import FIRST, SPAN, ReconnectedClients
from workers.topology.setup_and_result import AnsweredByNode, FailoverSetup, RefusedByNode, Rejoin
from workers.topology.takeover import REJOIN
from workers.topology.topology import parse


def told(node, first, clients, refused=None, since_s=0.0):
    """A connection of each client: its answers in seconds since the load began; nan: none."""
    return tuple(
        ConnectionLedger(
            SimpleNamespace(name=node), since_s, ClientLedger(first + n, len(mine), np.array(mine, dtype=float)),
            (refused or {}).get(n),
        )
        for n, mine in enumerate(clients)
    )  # fmt: skip


def clients(began, *times, refused=None, node="primary"):
    """`began`: monotonic clock. `refused`: client -> its refusal."""
    connections = told(node, 0, times, refused)
    ledger = Ledger(tuple(one.ledger for one in connections)).sealed(SECRET)
    heard = {"ledger": lambda: ledger, "connections": lambda: connections}
    return SimpleNamespace(began=began, drained_at_s=90.0, **heard)


def reconnected(*times, since_s=2.0, node="replica 1", refused=None):
    """The first connection of each client is refused if `refused` says how; then it commits."""
    each = []
    for number, mine in enumerate(times):
        first = FIRST + number * SPAN
        failed = told(node, first, [[np.nan]], {0: refused}, 1.9) if refused else ()
        each.append((*failed, *told(node, first + 1, [mine], since_s=since_s)))
    every = tuple(one for client in each for one in client)
    ledger = Ledger(tuple(one.ledger for one in every)).sealed(SECRET)
    return SimpleNamespace(by_client=lambda: tuple(each), connections=lambda: every, ledger=lambda: ledger)


def node(name):
    return SimpleNamespace(name=name, sandbox=SimpleNamespace(my_cnf="", log_text=""))


def returned(fault="primary-host-loss", topology="async+replicas=2", **changes):
    """Struck at 11.0, the fault took 0.5 s; promoted at 11.8; two clients logged in at 12.0, answered at 12.25 and
    12.35; of six commits the new primary lacks two."""
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
        "promoted_at": 11.8, "detection_s": 0.1, 
        "after": reconnected((2.25, 2.3), (2.35,)), "problems": (), "returns": True,
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
    assert story.rejoin == Rejoin("stopped", "1236", None, None)
    assert story.per_100_ms == (0, 2, 2, 0, 0, 0, 0, 0, 1, 1), "in each tenth of a second"
    assert judge(returned(rejoined=None)).result.story.rejoin is None


def test_lost_commits_reach_to_the_fault():
    assert judge(returned()).result.lost.ms == pytest.approx(200)  # from 0.8 s to the fault at 1.0 s


def test_a_primary_that_goes_on_loses_commits_after_the_fault_too():
    witness = clients(10.0, (0.1, 0.2, 0.9), (0.1, 0.2, 3.4))
    assert judge(returned(witness=witness)).result.lost.ms == pytest.approx(2500)


def test_no_lost_commit_gives_a_lost_time_of_zero():
    everything = Seen(returned().witness.ledger().acknowledged())
    assert judge(returned(kept=everything)).result.lost == LostWork(0, 0.0)


def test_the_outage_is_that_of_one_client_without_the_time_of_the_fault():
    """Client 0: answers at 10.9 s and 12.25 s; client 1: 10.8 and 12.35. The fault took 0.5 s."""
    outage = returned().outage
    parts = (outage.detection_s, outage.failover_s, outage.login_s, outage.answered_s)
    assert parts == pytest.approx((0.1, 0.2, 0.2, 0.35)), "the client in the middle: of two the second one"
    assert outage.total_s == outage.most_s == pytest.approx(1.55 - 0.5) and outage.least_s == pytest.approx(1.35 - 0.5)
    before = 11.0 - 10.8  # between the last answer and the fault
    assert outage.total_s == pytest.approx(before + sum(parts))


def test_recovery_and_applying_are_parts_of_the_failover():
    outage = returned(detection_s=None, noticed_from=11.6, recovery_s=0.05, applying_s=0.03).outage
    assert (outage.recovery_s, outage.applying_s, outage.promotion_s) == (0.05, 0.03, pytest.approx(0.12))
    assert outage.detection_s is None, "nobody measured it"
    known = (outage.recovery_s, outage.applying_s, outage.promotion_s, outage.login_s, outage.answered_s)
    before = 11.0 - 10.8  # between the last answer and the fault
    assert outage.total_s == pytest.approx(before + sum(known))


def test_a_client_that_commits_before_the_trial_knows_the_new_primary_waits_no_longer():
    """In a cluster its own commit may be the first that any node accepts."""
    outage = returned(after=reconnected((1.7,), since_s=1.2), noticed_from=11.0, detection_s=0.4).outage
    assert (outage.login_s, outage.answered_s) == (0.0, 0.0)
    assert (outage.detection_s, outage.failover_s) == (pytest.approx(0.4), pytest.approx(0.3))
    early = returned(after=reconnected((1.2,), since_s=1.1), noticed_from=11.0, detection_s=0.4).outage
    assert (early.detection_s, early.failover_s) == (pytest.approx(0.2), 0.0)


def test_answers_are_listed_by_node_and_time_and_a_refused_commit_is_not_in_doubt():
    refused = {1: Refusal(1.5, "1290: read-only"), 2: Refusal(1.2, "1180: no")}
    witness = clients(10.0, (0.1, np.nan), (0.1, np.nan), (0.1, np.nan), (0.2, np.nan), refused=refused)
    after = reconnected((2.25, np.nan), refused=Refusal(1.95, "1047: not prepared"))
    result = judge(returned(witness=witness, after=after)).result
    assert (result.sent, result.acknowledged, result.in_doubt) == (8, 4, 2)
    assert result.story.answered == (
        AnsweredByNode("primary", 4, 2, 0.1, 0.2), AnsweredByNode("replica 1", 1, 1, 2.25, 2.25)
    )  # fmt: skip
    assert result.story.refused == (
        RefusedByNode("primary", 2, 1.2, 1.5, "1180: no"),
        RefusedByNode("replica 1", 1, 1.95, 1.95, "1047: not prepared")
    )  # fmt: skip
    assert judge(returned()).result.story.refused == ()
    assert answered(told("primary", 0, [[np.nan]])) == (AnsweredByNode("primary", 0, 1, None, None),)


def test_a_primary_that_nobody_brings_back_is_not_judged_as_one_that_returns():
    known = returned()
    away = Returned(**{one.name: getattr(known, one.name) for one in fields(Promoted)}, others=())
    assert {"old-starts", "rejoin"}.isdisjoint(one.key for one in judge(away).checks) and not away.returns


def test_the_log_of_a_failover_manager_is_kept_beside_those_of_the_nodes():
    found = judge(returned(manager=SimpleNamespace(output="one\ntwo"))).result.log_lines
    assert found["failover manager"] == ("one", "two") and {"primary", "replica 1"} < found.keys()
    assert "failover manager" not in judge(returned()).result.log_lines


def test_the_rest_of_a_pause_begins_after_the_fault():
    """Struck at 11.0 s for 0.5 s, so that a pause of 3 s ends at 14.5 s."""
    ports = FailoverPorts(clock=lambda: 12.0)
    setup = replace(returned("primary-pause").setup, pause_s=3.0)
    assert returned("primary-pause", setup=setup, ports=ports).pause_left_s == 2.5
    assert returned(setup=setup, ports=ports).pause_left_s == 0.0


@pytest.mark.parametrize(("fault", "wait_s"), [("primary-kill", 0), ("partition", LAST_ANSWER_S)])
def test_the_clients_are_heard_and_reconnect_and_only_a_primary_that_lives_is_waited_for(fault, wait_s):
    """`updates` end before the last answers are read."""
    done = []
    returned(
        fault,
        witness=SimpleNamespace(began=10.0, drain=lambda seconds: done.append(seconds)),
        reader=SimpleNamespace(drain=lambda: done.append("reader")),
        versions=SimpleNamespace(end=lambda: done.append("updates")),
        after=SimpleNamespace(begin=lambda began: done.append(began)),
    ).hear()
    assert done == ["updates", wait_s, "reader", 10.0]


@pytest.mark.parametrize(
    ("topology", "one_way_s"),
    [("async", 0.0), ("async+rtt=20ms", 0.01), ("async+replicas=2+rtt=20ms+first-rtt=40ms", 0.02),
     ("async+replicas=2+rtt=20ms+first-rtt=1ms", 0.01)],
)  # fmt: skip
def test_a_fault_knows_the_slowest_wire_and_what_was_acknowledged(topology, one_way_s):
    found = returned(topology=topology)
    scene = found.scene()
    assert (scene.one_way_s, scene.acknowledged(), scene.pause_s) == (one_way_s, 6, found.setup.pause_s)
    assert scene.nodes == found.nodes and scene.hear == found.hear


def test_what_is_to_come_later_is_left_out_when_the_trial_ends_before():
    done, made, before = [], Made(), threading.enumerate()
    found = returned(made=made)
    with made:
        found.later(60.0, lambda: done.append("too late"))
        [timer] = [one for one in threading.enumerate() if one not in before]
    timer.join(20)
    assert not timer.is_alive()
    assert done == []


def test_a_client_that_had_ended_before_the_fault_measures_no_outage():
    witness = clients(10.0, (0.1, np.nan), (0.8, np.nan), refused={0: Refusal(0.2, "1213: deadlock")})
    outage = returned(witness=witness).outage
    assert outage.least_s == outage.most_s == pytest.approx(1.55 - 0.5)


def test_an_answer_that_came_during_the_fault_ends_later():
    witness = clients(10.0, (0.1, 0.2, 1.2), ())
    assert returned(witness=witness).outage.total_s == pytest.approx((12.25 - 11.2) - (11.5 - 11.2))


def test_nodes_that_notice_the_fault_while_it_happens_wait_for_all_of_it():
    assert returned(noticed_from=11.0).outage.least_s == pytest.approx(1.35)


def test_without_a_silence_between_both_there_is_no_outage():
    assert returned(witness=clients(10.0, (0.1, 2.0))).outage is None
    assert returned(after=reconnected()).outage is None and returned(witness=clients(10.0)).outage is None
    assert returned(after=reconnected((np.nan,))).outage is None
    assert returned(fault="replica-kill").outage is None


def test_an_expelled_primary_that_wakes_acknowledges_late_and_the_outage_is_known():
    witness = clients(10.0, (0.1, 0.9, 5.0))
    assert returned(witness=witness, expelled=True).outage.total_s == pytest.approx(1.35 - 0.5)


def test_the_commits_of_the_new_primary_are_drawn_without_the_time_of_the_fault():
    """The first one came 2.25 s after the load began."""
    after = judge(returned()).result.story.after_per_100_ms
    assert next(n for n, count in enumerate(after) if count) == 17 and sum(after) == 3


def test_transactions_of_reconnected_clients_are_no_part_of_what_was_kept():
    """The rows of the new primary are read while they commit."""
    after = ReconnectedClients(0, SECRET)
    after.connections = reconnected((2.25, 2.3)).connections
    own = key(FIRST + 1, 1)
    assert after.left_out(Seen(np.array([3, own]), np.array([own + 1, own + 2]))).whole.tolist() == [3]
    assert after.left_out(Seen(np.array([3]), np.array([own + 1, own + 2]))).parts.tolist() == [own + 2], "never sent"


def test_a_replica_that_stopped_after_its_crash_is_counted_and_not_judged():
    """It says that it is to be rebuilt, so what it lacks is no silent loss."""
    stopped = ReplicaSeen(REJOIN, "stopped", "1062", seen=Seen(keys((0, 1))))
    of_replica = {"fault": "replica-kill", "returns": False, "old": None, "rejoined": stopped}
    result = judge(returned(**of_replica, new=returned().primary, kept=returned().old)).result
    assert result.lost_replica is None and result.story.holds["replica 1"] == 1
    back = replace(stopped, state="caught up", error="", different_rows=5)
    assert judge(returned(**of_replica | {"rejoined": back})).result.lost_replica.transactions == 5
