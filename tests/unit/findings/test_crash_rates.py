"""How often something happened in so many crashes: in words, as a state and as the look of a badge."""

import pytest

from dashboard.findings.crash.rate import rate
from tests.unit.findings.tried import plain


@pytest.mark.parametrize(
    ("known", "also", "says"),
    [
        ((0, 3), (0, 0, 0), "nothing lost in 3 power losses, too few to be sure"),
        ((0, 36), (0, 0, 0), "nothing lost in 36 power losses"),
        ((0, 36, 2000), (0, 0, 2000), "nothing lost in 36 power losses, too few to be sure; 2,000 more unclear"),
        ((0, 0, 1), (0, 0, 1), "1 power loss unclear"),
        ((2, 3), (2, 0, 0), "commits lost in 2 of 3 power losses"),
        ((2, 3), (0, 2, 0), "commits read, then lost in 2 of 3 power losses"),
        ((2, 3), (0, 0, 0), "another failure in 2 of 3 power losses"),
        ((2, 3), (1, 1, 0), "commits lost or commits read, then lost in 2 of 3 power losses"),
        ((3, 3, 1), (1, 1, 1),
         "commits lost or commits read, then lost or another failure in 3 of 3 power losses; 1 more unclear"),
    ],
)  # fmt: skip
def test_the_outcome_names_each_kind_of_failure_that_happened(known, also, says):
    assert rate(*known).outcome("power-loss", *also) == says


@pytest.mark.parametrize(
    ("k", "n", "unclear", "state", "look"),
    [
        (0, 36, 0, "passed", "passed"),
        (0, 35, 0, "passed", "info"),
        (0, 36, 1, "unknown", "unknown"),
        (0, 0, 0, "unknown", "unknown"),
        (1, 36, 0, "failed", "failed"),
        (1, 36, 4, "failed", "failed"),
    ],
)
def test_only_many_trials_without_a_loss_and_without_an_unclear_one_look_like_a_pass(k, n, unclear, state, look):
    found = rate(k, n, unclear)
    assert (found.state(unclear), found.look(unclear)) == (state, look)


def test_the_share_of_all_crashes_is_told_with_its_bounds():
    assert rate(0, 3).bounds() == rate(0, 1).bounds("loads") == "too few to be sure"
    assert rate(0, 3).bounds("loads") == "3 loads are too few to be sure"
    assert plain(rate(0, 36).bounds()) == "95 % upper bound 9.7 %"
    assert plain(rate(3, 3).bounds()) == "95 % lower bound 29 %"
    assert plain(rate(2, 3).bounds()) == "95 % interval 9.4 % to 99 %"
    assert plain(rate(0, 3).still_allows("loads")) == "up to 71 % of such loads may still lose commits"
    assert rate(0, 3).at_most == rate(0, 3).still_allows("crashes")
    assert rate(0, 0).bounds() == rate(0, 0, 4).bounds() == ""
    assert rate(1200, 3000).counts == "1,200 of 3,000"
