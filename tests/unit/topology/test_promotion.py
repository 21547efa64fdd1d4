"""The promotion of a replica: its order by the policy, and a replica that cannot apply."""

from dataclasses import dataclass
from types import SimpleNamespace

import pytest

from workers.errors import SandboxError
from workers.topology.faults import FAULTS
from workers.topology.kinds.following import failover
from workers.topology.policy import combined


def promoted(stop_first, error=""):
    calls = []

    class Link:
        def tell(self, what, thread=""):
            calls.append(f"{what} {thread}".strip())

        def apply_received(self, limit_s):
            calls.append("apply_received")
            assert limit_s == 600, "one thread on a slow disk takes 55 ms for each commit"

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


REPLICAS = {"mid": ("0-1-8", "0-1-5"), "far": ("0-1-9", "0-1-4"), "near": ("0-1-7", "0-1-6")}  # received, executed


@dataclass(frozen=True)
class Known:
    follower: str

    def received(self):
        return REPLICAS[self.follower][0]

    def executed(self):
        return REPLICAS[self.follower][1]


def chosen(policy, monkeypatch, spared=tuple(REPLICAS)):
    links = [Known(name) for name in REPLICAS]
    monkeypatch.setattr(failover.Link, "executed", Known.executed)
    struck = SimpleNamespace(links=links, setup=SimpleNamespace(policy=combined([policy])))
    return failover._chosen(struck, tuple(SimpleNamespace(sandbox=name) for name in spared)).follower


def test_each_policy_promotes_its_replica(monkeypatch):
    wanted = {"careful": "far", "most-executed": "near", "first-replica": "mid", "replica3": "near"}
    assert {policy: chosen(policy, monkeypatch) for policy in wanted} == wanted
    assert chosen("first-replica", monkeypatch, ("far", "near")) == "far"
    assert chosen("careful", monkeypatch, ("mid", "near")) == "mid"


def test_replicas_that_started_again_are_compared_by_what_they_applied(monkeypatch):
    """They have received nothing since. MySQL names what it had applied and received in one set each."""
    uuid = "3e11fa47-71ca-11e1-9e33-c80aa9429562"
    for near, far in (("0-1-5", "0-1-9"), (f"{uuid}:1-5", f"{uuid}:1-9")):
        monkeypatch.setitem(REPLICAS, "mid", ("", near))
        monkeypatch.setitem(REPLICAS, "far", ("", far))
        assert chosen("careful", monkeypatch, ("mid", "far")) == "far"
    monkeypatch.setitem(REPLICAS, "mid", (f"{uuid}:8-12", f"{uuid}:1-7"))
    assert chosen("careful", monkeypatch, ("mid", "far")) == "mid"


def test_a_lone_replica_is_asked_nothing(monkeypatch):
    monkeypatch.setitem(REPLICAS, "near", None)
    assert chosen("careful", monkeypatch, ("near",)) == "near"


@pytest.fixture
def steps(monkeypatch):
    """`steps(fault, policy, ...)`: who took over with which known times, and what was done in which order."""

    def told(fault, policy="careful", manager=None):
        done = []
        nodes = [
            SimpleNamespace(
                sandbox=SimpleNamespace(stop=lambda name=name: done.append(f"{name} stops")),
                restart=lambda own, name=name: done.append(f"{name} starts"),
            )
            for name in ("primary", "replica 1", "replica 2")
        ]
        clock = iter((10.0, 12.0, 15.0, 19.0))
        struck = SimpleNamespace(
            setup=SimpleNamespace(policy=combined([policy])), fault=FAULTS[fault], manager=manager, struck_at=1.0,
            ports=SimpleNamespace(clock=lambda: next(clock)), primary=nodes[0], replicas=tuple(nodes[1:]),
            standing=tuple(one for number, one in enumerate(nodes) if not FAULTS[fault].strikes(number)),
            timeline=SimpleNamespace(step=done.append, must_go_on=None),
            links=[SimpleNamespace(follower=one.sandbox) for one in nodes[1:]],
        )  # fmt: skip
        for name in ("silence", "counted_again"):
            monkeypatch.setattr(failover, name, lambda struck, name=name: done.append(name) or struck)
        monkeypatch.setattr(failover, "catch_up", lambda links, limit_s: done.append(("catch up", len(links))))
        monkeypatch.setattr(failover, "_chosen", lambda struck, able: struck.links[struck.replicas.index(able[-1])])
        monkeypatch.setattr(failover, "_promote", lambda link, stop_first, clock: 0.25 + stop_first)
        monkeypatch.setattr(failover, "take_over", lambda struck, new, **known: (nodes.index(new), known))
        return *failover.fail_over(struck), done

    return told


@pytest.mark.parametrize(
    ("fault", "policy", "done"),
    [
        ("primary-kill", "careful", []),
        ("partition", "careful", ["fence", "silence"]),
        ("partition", "unfenced", []),
        ("switchover", "careful", ["fence", ("catch up", 2), "counted_again", "primary stops"]),
        ("switchover", "unfenced", ["fence", ("catch up", 2), "counted_again", "primary stops"]),
    ],
)
def test_a_primary_that_still_runs_is_shut_off_by_the_policy(steps, fault, policy, done):
    new, known, found = steps(fault, policy)
    assert (new, found) == (2, [*done, "failover"])
    assert known == {"began": 10.0, "recovery_s": None, "applying_s": 0.25}


def test_the_order_of_the_policy_is_that_of_the_promotion(steps):
    assert steps("primary-kill", "stop-first")[1]["applying_s"] == 1.25


def test_without_a_spared_replica_all_start_again_and_their_recovery_is_timed(steps):
    new, known, done = steps("total-kill")
    assert (new, done) == (2, ["failover", "replica 1 starts", "replica 2 starts"])
    assert (known["began"], known["recovery_s"]) == (10.0, 3.0)


def test_a_struck_replica_is_no_candidate(steps):
    assert steps("kill:primary+replica2")[0] == 1


def test_a_manager_chooses_itself_and_ends(steps):
    ended = []
    manager = SimpleNamespace(promoted=lambda able, *_: able[0], close=lambda: ended.append(True))
    new, known, done = steps("primary-kill", manager=manager)
    assert (new, known, done) == (1, {"began": 1.0, "recovery_s": None}, ["failover manager"]) and ended
