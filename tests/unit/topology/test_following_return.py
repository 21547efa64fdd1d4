"""Nodes that follow a primary come back: what is known when one of them starts late, or not at all."""

from dataclasses import fields
from types import SimpleNamespace

import pytest

from tests.unit.topology.test_failover_story import returned
from workers.crash.evidence import ReplicaSeen, Seen, nothing
from workers.errors import SandboxError, ServerEnded
from workers.topology.chain import FailoverPorts, Promoted
from workers.topology.checks import run_checks
from workers.topology.judge import evidence_of
from workers.topology.kinds.following import following, rejoin

LATE = SandboxError("The sandbox primary did not start: its recovery took longer than 120 s.")


class Node:
    def __init__(self, name, refuses=None, running=False):
        self.name, self.refuses, self.done = name, refuses, []
        self.sandbox = SimpleNamespace(running=running, target=None, my_cnf="", log_text="")

    def restart(self, more):
        self.done.append("starts")
        if self.refuses:
            raise self.refuses


def promoted(primary, replica, fault="primary-kill", topology="async", **changes):
    known = returned(fault, topology, primary=primary, replicas=(replica,), new=replica)
    return Promoted(**{one.name: getattr(known, one.name) for one in fields(Promoted)} | changes)


@pytest.fixture
def back(monkeypatch):
    """`back(node)`: the old primary, as this node, returned."""
    monkeypatch.setattr(rejoin, "_gtids", lambda promoted: (None, ()))
    monkeypatch.setattr(rejoin, "read", lambda node, secret: (Seen(nothing()), ()))
    monkeypatch.setattr(rejoin, "_joined", lambda *given: ReplicaSeen(rejoin.REJOIN, "caught up", "", 0))
    return lambda node: rejoin.come_back(promoted(node, Node("replica 1", running=True)), None)


def outcomes(found):
    return {check.key: check.outcome for check in run_checks(found.ledger(), evidence_of(found))}


def test_a_loss_is_told_also_when_the_old_primary_starts_late(back):
    found = back(Node("primary", LATE))
    told = outcomes(found)
    assert (told["lost-promoted"], told["old-starts"], told["rejoin"]) == ("invalid", "unknown", "unknown")
    assert found.problems == (LATE.message,) and found.rejoined is None


def test_an_old_primary_that_does_not_start_is_told_from_it(back):
    assert outcomes(back(Node("primary", ServerEnded("a torn page"))))["old-starts"] == "invalid"
    assert outcomes(back(Node("primary")))["old-starts"] == "valid"


@pytest.mark.parametrize(("fault", "told"), [("total-kill", [("START", "IO_THREAD")]), ("primary-kill", [])])
def test_replicas_that_start_again_receive_before_clients_come(monkeypatch, fault, told):
    """A semi-synchronous primary waits for them, for as long as it was told to."""
    done = []
    link = SimpleNamespace(tell=lambda *given: done.append(given))
    known = promoted(Node("primary"), Node("replica 1"), fault, ports=FailoverPorts(), links=(link,))
    monkeypatch.setattr(following, "take_over", lambda *given, **_: done.append("clients"))
    following.start_again(known)
    assert done == [*told, "clients"]


def test_a_replica_that_does_not_start_again_has_stopped_and_is_not_unclear():
    """As where its primary starts again in place: it must be rebuilt, and says so."""
    replica = Node("replica 2", ServerEnded("a torn page"))
    known = promoted(Node("primary"), Node("replica 1"), "kill:primary+replica2")
    assert rejoin._joined(known, None, replica) == ReplicaSeen(rejoin.REJOIN, "stopped", "a torn page")
