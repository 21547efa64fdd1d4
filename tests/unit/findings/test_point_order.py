"""Points stand in the order of the plan."""

from dashboard.findings.points import PointKey, _places

PLAN = {
    "targets": [{"server_id": 7}, {"server_id": 3}],
    "variants": [{"name": "safe"}, {"name": "fast"}],
    "workloads": [{"label": "update"}, {"label": "insert"}],
}


def test_by_workload_server_variant_and_threads_and_what_the_plan_does_not_know_comes_last():
    in_order = [
        PointKey(7, "safe", "update", 1), PointKey(7, "safe", "update", 8), PointKey(7, "fast", "update", 1),
        PointKey(7, "another", "update", 1), PointKey(3, "safe", "update", 1), PointKey(1, "safe", "update", 1),
        PointKey(7, "safe", "insert", 1), PointKey(7, "safe", "delete", 1),
    ]  # fmt: skip
    assert sorted(reversed(in_order), key=_places(PLAN)) == in_order
