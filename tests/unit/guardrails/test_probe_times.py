"""A commit that takes long counts for each client that would have come meanwhile, and how far a replica is behind."""

import time

import pytest

from workers.guardrails.probe import EVERY_S, KEPT, CommitProbe, _missed
from workers.servers.target import Target


def test_a_quick_commit_counts_once():
    assert _missed(EVERY_S / 2) == [EVERY_S / 2]


def test_a_long_commit_counts_for_those_that_would_have_waited():
    assert _missed(0.7) == pytest.approx([0.7, 0.5, 0.3, 0.1])
    assert len(_missed(3600)) == KEPT + 1


def test_a_replica_that_is_hours_behind_is_told_as_hours_behind():
    """A limit of the lag may be as long as a day."""
    probe, began = CommitProbe(Target("p", "attached", "u", ""), "durascope_x"), time.monotonic() - 7200
    probe._beats.extend(began + number * EVERY_S for number in range(36_000))
    assert probe.lag_s(0) == pytest.approx(7200, abs=5)
    assert probe.lag_s(-1) == pytest.approx(7200, abs=5), "no beat was ever below the first"
    assert probe.lag_s(35_000) == pytest.approx(200, abs=5)
    assert probe.lag_s(36_000) == 0.0
