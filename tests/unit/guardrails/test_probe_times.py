"""A commit that takes long counts for each client that would have come meanwhile."""

import pytest

from workers.guardrails.probe import EVERY_S, KEPT, _missed


def test_a_quick_commit_counts_once():
    assert _missed(EVERY_S / 2) == [EVERY_S / 2]


def test_a_long_commit_counts_for_those_that_would_have_waited():
    assert _missed(0.7) == pytest.approx([0.7, 0.5, 0.3, 0.1])
    assert len(_missed(3600)) == KEPT + 1
