"""One check that failed decides, whatever the others say; one that could not tell leaves it open."""

import pytest

from workers.crash.verdict import CheckResult, invalid, nothing_to_check, unknown, valid, verdict


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


def test_a_new_check_result_has_an_empty_key():
    assert valid("All is well.") == CheckResult("", "valid", 0, "All is well.")
    assert nothing_to_check("no one") == CheckResult("", "valid", 0, "Nothing to check: no one.", vacuous=True)
    assert unknown("It was not read.") == CheckResult("", "unknown", 0, "It was not read.")
    assert invalid(2, "Two are gone.", ((0, 1),)) == CheckResult("", "invalid", 2, "Two are gone.", ((0, 1),))
