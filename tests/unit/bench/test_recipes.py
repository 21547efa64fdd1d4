import pytest

from workers.bench import recipes
from workers.bench.plan import PlanTarget
from workers.bench.review import Candidate, problems
from workers.errors import PlanError

TARGET = PlanTarget(1, "sandbox")


@pytest.mark.parametrize("key", recipes.names())
def test_every_recipe_can_run_on_a_sandbox(key):
    plan = recipes.load(key).plan([TARGET])
    assert problems(plan, {1: Candidate("sandbox", is_sandbox=True, flavour="mariadb")}) == []


def test_the_cost_of_safety_is_asked_as_the_articles_did():
    plan = recipes.load("what-does-safety-cost").plan([TARGET])
    pairs = [tuple(variant.settings.values()) for variant in plan.variants]
    assert pairs == [("ON", "1", "1"), ("ON", "2", "1"), ("ON", "2", "0"), ("ON", "0", "0")]
    assert plan.threads == (1, 8, 32)


def test_it_takes_overrides():
    plan = recipes.load("group-commit").plan([TARGET], {"threads": "1,4", "measure_s": "2", "seed": "5"})
    assert (plan.threads, plan.measure_s, plan.seed) == ((1, 4), 2, 5)


@pytest.mark.parametrize(("key", "value"), [("threads", "many"), ("repeats", "1.5"), ("colour", "red")])
def test_it_refuses_overrides_that_make_no_sense(key, value):
    with pytest.raises(PlanError, match=key):
        recipes.load("group-commit").plan([TARGET], {key: value})


def test_it_names_the_recipes_there_are():
    with pytest.raises(PlanError, match="group-commit"):
        recipes.load("no-such-recipe")
