"""What a plan is told whose load shall come from several workers."""

from dataclasses import replace

import pytest

from tests.unit.bench.plans import plan
from workers.bench import recipes
from workers.bench.needs import Candidate
from workers.bench.plan import Plan
from workers.bench.review import problems
from workers.errors import PlanError

THREE = (("a", "a:1"), ("a", "a:2"), ("b", "b:1"))
ATTACHED = Candidate("db1", is_sandbox=False, site="local", flavour="mariadb", workers=THREE)
SANDBOX = replace(ATTACHED, name="box", is_sandbox=True)


def said(candidate: Candidate, **changes) -> list[str]:
    return problems(plan(**{"threads": (8,), **changes}), {1: candidate})


def test_as_many_as_are_alive_are_enough():
    assert said(ATTACHED, load_workers=3) == []
    assert said(SANDBOX, load_workers=2) == []


def test_more_than_are_alive_are_refused_by_name():
    (refusal,) = said(ATTACHED, load_workers=4)
    assert "needs 4 workers. Alive on site local: 3 (a:1, a:2, b:1)." in refusal
    assert refusal.endswith("Start more: manage.py worker")
    assert "local: none." in said(replace(ATTACHED, workers=()), load_workers=2)[0]


@pytest.mark.parametrize("candidate", [SANDBOX, replace(ATTACHED, means_its_worker=True)])
def test_a_server_with_a_local_address_counts_the_workers_of_one_host(candidate):
    assert "Alive on host a of site local: 2 (a:1, a:2)." in said(candidate, load_workers=3)[0]


def test_each_part_needs_a_thread():
    assert said(ATTACHED, threads=(1, 8), load_workers=2) == [
        "1 threads cannot be shared by 2 workers: each needs at least one."
    ]


@pytest.mark.parametrize("count", [0, -1, 17])
def test_numbers_that_are_none(count):
    assert "Load from workers" in said(ATTACHED, threads=(64,), load_workers=count)[0]


def test_a_recipe_can_be_told_to_load_from_several():
    recipe = recipes.load("what-does-safety-cost")
    changed = recipe.plan([], {"load_workers": "2"})
    assert changed.load_workers == 2 and recipe.plan([]).load_workers == 1
    assert "Load from workers 2 instead of 1" in recipe.changes(changed, "quick")
    with pytest.raises(PlanError, match="not a whole number"):
        recipe.plan([], {"load_workers": "two"})


def test_a_plan_from_before_has_one():
    data = plan().as_dict()
    del data["load_workers"]
    assert Plan.from_dict(data).load_workers == 1
