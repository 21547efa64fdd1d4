"""The predicate on write outages."""

from dataclasses import replace

import pytest

from tests.unit.analysis.made_up import HELD, MadeUp
from workers.analysis.predicates.bounds import Bounds
from workers.analysis.predicates.outages import OutageRatio

SHORTER = OutageRatio("0 s", "5 s", "primary-kill")
HALF = Bounds(below=0.5)


def result(short, long, **known):
    outages = {"0 s": short, "5 s": long}
    tried = {(name, "primary-kill"): [replace(HELD, outage_s=one) for one in took] for name, took in outages.items()}
    return MadeUp(trials=tried, **known)


def judged(*outages, **known):
    return HALF.judge(SHORTER.measure(result(*outages, **known)))


def test_an_outage_that_falls_is_held_and_one_that_does_not_is_not():
    assert judged([6.9, 7.2, 7.3], [21.6, 22.0, 22.2]) == "held"
    assert judged([21.5, 22.1, 22.3], [21.6, 22.0, 22.2]) == "not held"
    found = SHORTER.measure(result([7.0, 7.0, 7.1], [21.0, 21.0, 21.3]))
    assert found.value == pytest.approx(1 / 3) and found.lo < found.value < found.hi


def test_few_or_very_different_failovers_decide_nothing():
    few = SHORTER.measure(result([7.0, 7.0], [22.0, 22.0, 22.0]))
    assert HALF.judge(few) == "not decidable" and "fewer than 3 failovers" in few.why and few.value
    assert judged([2.0, 9.0, 20.0], [3.0, 22.0, 30.0]) == "not decidable"


@pytest.mark.parametrize(
    ("made", "why"),
    [
        (result([7.0, None, 7.0], [22.0] * 3), "0 s: the write outage of 1 of 3 trials is not known"),
        (result([0.0] * 3, [22.0] * 3), "an outage took no time"),
        (result([7.0] * 3, []), "5 s: no primary kill was tried"),
        (
            result([7.0] * 3, [22.0] * 3, unfinished={("5 s", "primary-kill"): 2}),
            "2 of the planned crashes did not",
        ),
        (result([7.0] * 3, [22.0] * 3, detector="The self-test failed."), "The self-test failed"),
    ],
)
def test_an_unmeasured_outage_is_not_decidable_and_says_why(made, why):
    found = SHORTER.measure(made)
    assert found.value is None and why in found.why and HALF.judge(found) == "not decidable"


def test_a_claim_about_outages_is_written_as_in_a_recipe():
    assert SHORTER.as_dict() == {"outages": {"variant": "0 s", "over": "5 s", "kind": "primary-kill"}}
    assert SHORTER.threads == (), "it names no number of threads"
    assert SHORTER.in_words == "write outage after a primary kill: 0 s divided by 5 s"
