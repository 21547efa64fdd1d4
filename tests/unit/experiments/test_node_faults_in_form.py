"""Faults of sets of nodes in the form of a plan: typed as words, stored among the other kinds."""

from dataclasses import replace

from dashboard.pages.experiments.plan_inputs import NODE_FAULTS, PlanInputs, written
from tests.unit.bench.plans import plan
from workers.bench.crash_review import estimate_s, problems
from workers.bench.needs import Candidate
from workers.bench.plan import CrashPlan, Variant
from workers.bench.trial_kinds import needs_as

SETS = ("kill:primary+replica1", "pause:replica1+replica2")
CRASH = CrashPlan(("primary-kill", *SETS), trials=1, control_trials=0)


def test_a_plan_comes_back_from_its_form():
    given = written(CRASH)
    assert given["kinds"] == ["primary-kill"] and given[NODE_FAULTS] == ", ".join(SETS)
    form = PlanInputs({**PlanInputs().initial, **given})
    form.full_clean()
    assert NODE_FAULTS not in form.errors
    assert form.fields[NODE_FAULTS].clean(given[NODE_FAULTS]) == SETS
    assert form[NODE_FAULTS] in form.grouped()["crash"]["short"]


def planned(*kinds):
    variant = Variant("async", {}, topology="async+replicas=2")
    return plan(variants=(variant,), crash=replace(CRASH, kinds=kinds, pause_s=40.0))


def test_a_wrong_set_is_refused_with_what_to_write():
    (said,) = [
        one
        for one in problems(planned("kill:replica1+primary"), {1: Candidate("box", is_sandbox=True, flavour="mariadb")})
        if "Write" in one
    ][:1]
    assert "Write kill:primary+replica1: each fault has one name." in said


def test_a_pause_takes_its_time():
    assert estimate_s(planned("pause:replica1+replica2")) - estimate_s(planned("kill:replica1+replica2")) == 40.0


def test_a_set_needs_the_same_of_a_host_as_the_named_fault():
    assert needs_as("power-loss:primary+replica1") == "total-power-loss"
    assert needs_as("kill:primary+replica1") == "kill:primary+replica1" and needs_as("power-loss") == "power-loss"
