"""A stored plan or a recipe as the first values of the form: what a person would have filled in."""

from collections.abc import Mapping

from dashboard.pages.experiments.durability_pairs import BINLOG, PAIRS, variant
from dashboard.pages.experiments.plan_inputs import written
from dashboard.records.experiments.naming import usual_name
from dashboard.text.asked import asked_number
from workers.bench.plan import Plan, Variant
from workers.bench.recipes import Recipe
from workers.bench.recipes.recipe import PLACES
from workers.bench.trial_kinds import TRIAL_KINDS
from workers.bench.workloads import OWN, WORKLOADS
from workers.sandbox.storage import PROFILES

USUAL = {"variants": ["1/1", "2/0", "0/0"], "workloads": ["update-by-key"]}
PARTS = ("engine", "build", "storage", "topology")  # of a variant, beside its settings


def of_recipe(recipe: Recipe, size: str) -> dict[str, object]:
    """The number of control trials is left open: it depends on the servers (`PlanForm.plan`)."""
    return {**of_plan(recipe.plan([], size=size)), "control_trials": ""}


def of_plan(plan: Plan) -> dict[str, object]:
    """Everything but the servers."""
    titles = {key: workload.title for key, workload in WORKLOADS.items()}
    plain = [one for one in plan.workloads if not one.params and one.label == titles.get(one.key)]
    with_params = [one for one in plan.workloads if one not in plain and one.key != OWN]
    name = "" if plan.name == usual_name(plan) else plan.name  # other servers or variants get another one
    return {
        **written(plan),
        "name": name,
        **written(plan.crash),
        **_variants(plan.variants),
        "workloads": [workload.key for workload in plain],
        "own_transaction": next((one.params["file"] for one in plan.workloads if one.key == OWN), ""),
        "own_workloads": "\n".join(_line(one.label, one.params, one.key) for one in with_params),
    }


def more_trials(asked: Mapping[str, str]) -> dict[str, object]:
    """`crash=power-loss&trials=72`: only this crash, so often. Anything else is ignored."""
    trials = asked_number(asked.get("trials"))
    kind = asked.get("crash", "")
    if not trials or kind not in TRIAL_KINDS:
        return {}
    return {"kinds": [kind], "trials": trials}


def _variants(variants: tuple[Variant, ...]) -> dict[str, object]:
    """As ticks when all are pairs under one binlog setting, on one build and device to choose; as lines otherwise."""
    place = {name: getattr(variants[0], name) for name in PLACES}
    can_be_chosen = place["storage"] in ("", *PROFILES)
    for binlog in BINLOG if can_be_chosen else ():
        if all(one.name in PAIRS and one == variant(one.name, binlog, **place) for one in variants):
            return {"variants": [one.name for one in variants], "binlog": binlog, **place}
    lines = [_line(one.name, {**one.settings, **_parts(one)}) for one in variants]
    return {"own_variants": "\n".join(lines), "variants": []}


def _parts(variant: Variant) -> dict[str, str]:
    """What is not as it is when nothing is said."""
    plain = Variant("", {})
    return {key: value for key in PARTS if (value := getattr(variant, key)) != getattr(plain, key)}


def _line(name: str, pairs: Mapping[str, str], *words: str) -> str:
    return f"{name}: " + " ".join([*words, *(f"{key}={value}" for key, value in pairs.items())])
