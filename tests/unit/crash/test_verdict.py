"""One check that failed decides, whatever the others say; one that could not tell leaves it open."""

import pytest

from workers.crash.verdict import CheckResult, verdict


@pytest.mark.parametrize(
    ("outcomes", "says"),
    [
        (("valid", "valid"), "valid"),
        (("valid", "unknown"), "unknown"),
        (("invalid",), "invalid"),
        (("invalid", "unknown", "valid"), "invalid"),
        ((), "unknown"),
    ],
)
def test_the_worst_outcome_is_the_verdict(outcomes, says):
    assert verdict(tuple(CheckResult(f"check {n}", one, 0, "") for n, one in enumerate(outcomes))) == says
