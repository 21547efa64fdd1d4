"""The headline of a result: at most nine words for every choice."""

from dataclasses import replace

import pytest

from dashboard.findings.result.choice import NOT_MEASURED, NOT_TRIED, Choice, SafetyCost
from dashboard.pages.results.short import short_finding
from workers.analysis.statistics import Estimate

KEPT = Choice("kept", "1/1", kept=("1/1",), lost=("2/0", "0/0"))
COST = SafetyCost("1/1", "0/0", 8, 1000.0, Estimate(0.62, 0.43, 0.74), Estimate(0.4))
TOLD = [
    (KEPT, "Use 1/1. Every other setting lost commits."),
    (replace(KEPT, is_present=True), "Keep 1/1. Every other setting lost commits."),
    (replace(KEPT, lost=("0/0",)), "Use 1/1. 0/0 lost commits."),
    (replace(KEPT, kept=("1/1", "2/1")), "Use 1/1. 2 others lost commits."),
    (replace(KEPT, unclear=("2/1",)), "Use 1/1. 2 others lost commits."),
    (replace(KEPT, lost=()), "Use 1/1. It lost nothing."),
    (replace(KEPT, why="too few"), "1/1 lost nothing yet. Too few crashes."),
    (Choice("none kept", lost=("2/0", "0/0")), "Every tested setting lost commits."),
    (Choice("none kept", lost=("0/0",)), "0/0 lost commits."),
    (Choice("none kept", lost=("0/0",), unclear=("1/1",)), "No setting is known to keep all commits."),
    (Choice("none kept", unclear=("1/1",)), "No setting is known to keep all commits."),
    (Choice("none kept"), "No setting is known to keep all commits."),
    (Choice("several servers"), "Choose one server to see what fits it."),
    (Choice("controls failed"), "The checks failed their own test. Nothing counts."),
    (NOT_MEASURED, "Nothing has been measured yet."),
    (NOT_TRIED, "No crash was tried yet."),
    (replace(NOT_TRIED, cost=COST), "Safety costs 62\N{NO-BREAK SPACE}% of the speed. Crashes untested."),
    (Choice("kept", "<b> & 'c'", kept=("<b> & 'c'",)), "Use <b> & 'c'. It lost nothing."),
]


@pytest.mark.parametrize(("choice", "told"), TOLD)
def test_a_choice_in_at_most_nine_words(choice, told):
    assert short_finding(choice) == told
    assert len(told.split(" ")) <= 9
