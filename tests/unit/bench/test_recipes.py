import dataclasses
from itertools import product

import pytest

from dashboard.installation.home import PROJECT
from tests.walks import report
from workers.bench import recipes
from workers.bench.needs import Candidate
from workers.bench.plan import PlanTarget
from workers.bench.recipes import SIZES
from workers.bench.recipes.claims import PlanNames, claim
from workers.bench.review import problems
from workers.bench.workloads import WORKLOADS
from workers.errors import PlanError
from workers.sandbox.builds import BUILDS
from workers.toml.table import TomlTable

RECIPES = recipes.shelf().recipes
TARGET = PlanTarget(1, "sandbox")
ANY_HOST = Candidate(
    "sandbox",
    is_sandbox=True,
    flavour="mariadb",
    builds={key: known.flavour for key, known in BUILDS.items()},
    installed=frozenset(BUILDS),
)


def test_every_recipe_can_run_on_a_host_that_has_everything():
    offenders = []
    for (key, recipe), size in product(RECIPES.items(), SIZES):
        if found := problems(recipe.plan([TARGET], size=size), {1: ANY_HOST}):
            offenders.append(f"{key}, {size}: {found}")
    report(offenders)


def read_again(key, recipe):
    """Its claims, read with the names of its full plan."""
    plan = recipe.plan([], size="full")
    names = PlanNames(
        tuple(one.name for one in plan.variants), tuple(one.label for one in plan.workloads), tuple(plan.threads)
    )
    return tuple(claim(TomlTable(key, "claims", one.as_dict()), names) for one in recipe.claims)


def test_the_full_size_measures_every_point_that_is_claimed():
    report(key for key, recipe in RECIPES.items() if read_again(key, recipe) != recipe.claims)


def test_every_recipe_claims_something():
    assert len(RECIPES) > 30
    report(key for key, recipe in RECIPES.items() if not recipe.claims)


def test_every_claim_of_the_articles_has_a_recipe():
    covered = {id for recipe in recipes.shelf().recipes.values() for id in recipe.claim_ids}
    articles = {f"{letter}{n}" for letter, most in (("A", 2), ("F", 3), ("T", 3), ("G", 6), ("X", 3), ("R", 1))
                for n in range(1, most + 1)}  # fmt: skip
    assert articles - covered == set()


def test_the_cost_of_safety_is_asked_as_the_articles_did():
    plan = recipes.load("what-does-safety-cost").plan([TARGET])
    pairs = [tuple(variant.settings.values()) for variant in plan.variants]
    assert pairs == [("ON", "1", "1"), ("ON", "2", "1"), ("ON", "2", "0"), ("ON", "0", "0")]
    assert plan.threads == (1, 8, 32)


def test_a_workload_without_a_label_is_called_by_its_title():
    assert recipes.load("group-commit").plan([]).workloads[0].label == WORKLOADS["update-by-key"].title


def test_a_recipe_takes_overrides():
    plan = recipes.load("group-commit").plan([TARGET], {"threads": "1,4", "measure_s": "2", "seed": "5"})
    assert (plan.threads, plan.measure_s, plan.seed) == ((1, 4), 2, 5)


def test_a_size_changes_only_what_it_names():
    quick, full = (recipes.load("who-agrees-after-a-crash").plan([TARGET], {"seed": "1"}, size) for size in SIZES)
    assert (quick.crash.trials, full.crash.trials) == (12, 50)
    assert quick.crash.kinds == full.crash.kinds
    assert quick.variants == full.variants


def test_there_is_no_size_of_ones_own():
    with pytest.raises(PlanError, match="Known: quick, full"):
        recipes.load("group-commit").plan([TARGET], size="huge")


@pytest.mark.parametrize(("key", "value"), [("threads", "many"), ("repeats", "1.5"), ("colour", "red")])
def test_impossible_overrides_are_refused(key, value):
    with pytest.raises(PlanError, match=key):
        recipes.load("group-commit").plan([TARGET], {key: value})


@pytest.mark.parametrize("name", ["replica", "own_load", "keep_recording"])
def test_yes_and_no_are_understood_and_any_other_word_is_refused(name):
    recipe = recipes.load("who-agrees-after-a-crash")
    for text, meant in ((" yes ", True), ("1", True), ("On", True), ("no", False), ("false ", False), ("0", False)):
        assert getattr(recipe.plan([TARGET], {name: text}).crash, name) is meant
    for text in ("y", "ja", "", "2"):
        with pytest.raises(PlanError, match=f"{name}='{text}' is not yes or no.*replica=yes"):
            recipe.plan([TARGET], {name: text})


def test_an_unknown_recipe_is_answered_with_the_known_names():
    with pytest.raises(PlanError, match="group-commit"):
        recipes.load("no-such-recipe")


def test_a_plan_as_the_recipe_has_it_is_not_changed():
    recipe = recipes.load("who-agrees-after-a-crash")
    assert recipe.changes(recipe.plan([TARGET]), "quick") == []


def test_the_changes_of_a_plan_from_its_recipe_are_told():
    recipe = recipes.load("who-agrees-after-a-crash")
    plan = recipe.plan([TARGET], {"threads": "2", "trials": "3"})
    weaker = dataclasses.replace(plan.variants[0], settings={"log_bin": "OFF"})
    plan = dataclasses.replace(plan, variants=(weaker, *plan.variants[1:]))
    said = recipe.changes(plan, "quick")
    threads = ", ".join(map(str, recipe.plan([TARGET]).threads))
    trials = recipe.plan([TARGET]).crash.trials
    assert said == [
        f"Threads 2 instead of {threads}",
        f"Trials of each crash 3 instead of {trials}",
        "variant 1/1 was changed",
    ]


def test_build_and_storage_that_a_recipe_leaves_open_may_be_chosen():
    recipe = recipes.load("group-commit")
    plan = recipe.plan([TARGET], {"storage": "hdd-10k"})
    assert recipe.changed_variants(plan) == []
    assert recipe.changes(plan, "quick") == ["it was measured on hdd-10k"]


def test_build_and_storage_that_a_recipe_names_are_what_it_speaks_of():
    recipe = recipes.load("group-commit-fixed")
    plan = recipe.plan([TARGET])
    newer = dataclasses.replace(plan.variants[1], build="mysql-8.0.33")
    plan = dataclasses.replace(plan, variants=(plan.variants[0], newer, plan.variants[2]))
    assert recipe.changed_variants(plan) == ["binlog on, before"]


def test_the_document_lists_every_recipe_with_its_title():
    """In the order of the keys, as lines to copy into docs/recipes.md."""
    listed = [line for line in (PROJECT / "docs/recipes.md").read_text().splitlines() if line.startswith("| `")]
    assert listed == [f"| `{key}` | {one.title} |" for key, one in RECIPES.items()]
