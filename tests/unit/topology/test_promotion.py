"""The promotion of a replica: its order by the policy, and a replica that cannot apply."""

import pytest

from workers.errors import SandboxError
from workers.topology.kinds.following import failover


def promoted(stop_first, error=""):
    calls = []

    class Link:
        def tell(self, what, thread=""):
            calls.append(f"{what} {thread}".strip())

        def __getattr__(self, name):
            return lambda *_: calls.append(name) or (error if name == "apply_error" else None)

    failover._promote(Link(), stop_first)
    return calls


def test_a_replica_applies_before_it_stops_receiving():
    assert promoted(False) == ["START SQL_THREAD", "apply_received", "apply_error", "settle"]


def test_the_wrong_order_stops_receiving_first():
    assert promoted(True)[:2] == ["STOP IO_THREAD", "START SQL_THREAD"]


def test_a_replica_that_stopped_applying_makes_the_trial_unclear():
    """Else its missing commits would count as lost by the replication."""
    with pytest.raises(SandboxError, match="1032: row not found"):
        promoted(False, "1032: row not found")
