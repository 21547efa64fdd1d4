"""Points stand in the order of the plan."""

from dashboard.findings.points import _place


def test_a_name_has_its_place_in_the_plan_and_one_that_the_plan_does_not_know_comes_last():
    assert [_place(["safe", "fast"], name) for name in ("safe", "fast", "another")] == [0, 1, 2]
