"""The promotion of a replica: its order by the policy, and a replica that cannot apply."""

from types import SimpleNamespace

import pytest

from workers.errors import SandboxError
from workers.topology.kinds.following import failover
from workers.topology.policy import combined


def promoted(stop_first, error=""):
    calls = []

    class Link:
        def tell(self, what, thread=""):
            calls.append(f"{what} {thread}".strip())

        def __getattr__(self, name):
            return lambda *_: calls.append(name) or (error if name == "apply_error" else None)

    seconds = iter((10.0, 12.5))
    assert failover._promote(Link(), stop_first, lambda: next(seconds)) == 2.5
    return calls


def test_a_replica_applies_before_it_stops_receiving():
    assert promoted(False) == ["START SQL_THREAD", "apply_received", "apply_error", "settle"]


def test_the_wrong_order_stops_receiving_first():
    assert promoted(True)[:2] == ["STOP IO_THREAD", "START SQL_THREAD"]


def test_a_replica_that_stopped_applying_makes_the_trial_unclear():
    """Else its missing commits would count as lost by the replication."""
    with pytest.raises(SandboxError, match="1032: row not found"):
        promoted(False, "1032: row not found")


REPLICAS = {"far": ("0-1-9", "0-1-4"), "near": ("0-1-8", "0-1-6"), "last": ("0-1-7", "0-1-5")}  # received, executed


def chosen(policy, monkeypatch, spared=tuple(REPLICAS)):
    links = [SimpleNamespace(follower=name) for name in REPLICAS]
    monkeypatch.setattr(failover.Link, "received", lambda link: REPLICAS[link.follower][0])
    monkeypatch.setattr(failover.Link, "executed", lambda link: REPLICAS[link.follower][1])
    struck = SimpleNamespace(links=links, setup=SimpleNamespace(policy=combined([policy])))
    return failover._chosen(struck, tuple(SimpleNamespace(sandbox=name) for name in spared)).follower


def test_each_policy_promotes_its_replica(monkeypatch):
    wanted = {"careful": "far", "most-executed": "near", "first-replica": "far", "replica3": "last"}
    assert {policy: chosen(policy, monkeypatch) for policy in wanted} == wanted
    assert chosen("first-replica", monkeypatch, ("near", "last")) == "near"
    assert chosen("careful", monkeypatch, ("near", "last")) == "near"
