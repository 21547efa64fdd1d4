"""What the plan makes the headline."""

from dataclasses import replace

import pytest

from dashboard.findings.headline import Headline, headline
from tests.unit.results import factory

PLAN = replace(factory.plan([], threads=(1, 32, 8)), baseline="")


@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        ({}, Headline("1/1", "0/0", 32)),
        ({"baseline": "0/0"}, Headline("0/0", "2/0", 32)),
        ({"main_variant": "2/0"}, Headline("1/1", "2/0", 32)),
        ({"main_threads": 8}, Headline("1/1", "0/0", 8)),
        ({"main_variant": "1/1"}, Headline("1/1", "0/0", 32)),  # a variant is not compared with itself
        ({"variants": PLAN.variants[:1]}, Headline("1/1", "", 32)),
        ({"threads": ()}, Headline("1/1", "0/0", 0)),
    ],
)
def test_the_plan_fixes_it(plan, expected):
    assert headline(replace(PLAN, **plan)) == expected
