"""In which order a fault acts on the nodes and their network."""

from types import SimpleNamespace

import pytest

from workers.topology.faults import FAULTS, FaultScene, kills


@pytest.fixture
def struck(monkeypatch):
    """`struck(fault, acknowledged)`: what it did, in order; the counts that clients know, one after the other."""

    def done_by(fault, acknowledged=()):
        done, counts = [], list(acknowledged)
        monkeypatch.setattr(kills.time, "sleep", lambda seconds: done.append("wait"))
        sandbox = SimpleNamespace(freeze=lambda: done.append("freeze"), kill=lambda: done.append("kill"))
        wire = SimpleNamespace(partition=lambda: done.append("partition"), cut=lambda: done.append("cut"))
        scene = FaultScene(
            SimpleNamespace(sandbox=sandbox), (), (wire,), lambda: done.append("hear"), lambda: counts.pop(0), 0.05, 1,
            lambda name: None,
        )  # fmt: skip
        FAULTS[fault].strike(scene)
        return done

    return done_by


def test_a_lost_host_is_silent_before_it_is_frozen(struck):
    assert struck("primary-host-loss") == ["partition", "freeze", "hear", "cut", "kill"]


def test_the_control_acknowledges_a_commit_that_nobody_receives(struck):
    """Else a flush that takes longer than the delay would leave nothing to lose."""
    done = struck("asynchronous-link", [7, 7, 7, 8])
    assert done == ["partition", "wait", "wait", "freeze", "hear", "cut", "kill"]


def test_the_control_does_not_wait_for_ever(struck, monkeypatch):
    monkeypatch.setattr(kills, "ONE_MORE_S", 0.0)
    assert struck("asynchronous-link", [7, 7]) == ["partition", "freeze", "hear", "cut", "kill"]
