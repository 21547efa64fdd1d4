"""A stored plan of a newer version is recognised, and no other plan is."""

import json

import pytest

from workers.bench import newer_plan
from workers.bench.plan import CrashPlan, Plan, PlanTarget, Variant, WorkloadChoice
from workers.errors import NewerPlan, PlanError

PLAN = Plan(
    name="p", targets=(PlanTarget(1, "db1"),), variants=(Variant("1/1", {"sync_binlog": "1"}),),
    workloads=(WorkloadChoice("u", "update-by-key", {}),), threads=(1,), repeats=1, warmup_s=0, measure_s=1,
    table_rows=100, seed=1, crash=CrashPlan(kinds=("process-kill", "kill:primary+replica1"), trials=1),
)  # fmt: skip


def stored():
    return json.loads(json.dumps(PLAN.as_dict()))


def test_a_plan_of_this_version_is_read():
    assert newer_plan.read(stored()) == PLAN


@pytest.mark.parametrize("part", [None, "targets", "variants", "workloads", "crash"])
def test_an_unknown_field_is_of_a_newer_version(part):
    plan = stored()
    rows = plan if part is None else plan[part]
    (rows[0] if isinstance(rows, list) else rows)["color"] = 1
    with pytest.raises(NewerPlan, match=r"does not know color of the plan\. Update Durascope"):
        newer_plan.read(plan)


@pytest.mark.parametrize("change", [
    {"sources": ["x-ray"]},
    {"workloads": [{"label": "u", "key": "x-ray", "params": {}}]},
    {"variants": [{"name": "v", "settings": {"x-ray": "1"}}]},
    {"crash": {"kinds": ["x-ray"], "trials": 1}},
])  # fmt: skip
def test_a_name_that_is_in_no_catalogue_is_of_a_newer_version(change):
    with pytest.raises(NewerPlan, match="does not know x-ray"):
        newer_plan.read({**stored(), **change})
    newer_plan.with_known_fields({**stored(), **change})


@pytest.mark.parametrize("broken", [{}, {"from": "nowhere"}, {"targets": 7}])
def test_json_that_is_no_plan_is_refused(broken):
    with pytest.raises(PlanError):
        newer_plan.read(broken)
