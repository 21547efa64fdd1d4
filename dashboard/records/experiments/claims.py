"""The claims of a recipe, stored when the experiment was planned and before anything was measured.

{"title": "...",              # of the recipe
 "changed": [...],            # how the plan differs from the recipe, in words
 "variants": [...],           # variants and workloads that the claims do not mean
 "workloads": [...],
 "claims": [Claim.as_dict(), ...]}
"""

from collections.abc import Mapping
from typing import Any

from workers.analysis.predicates.claim import Claim
from workers.bench.plan import Plan
from workers.bench.recipes import Recipe
from workers.bench.recipes.claims import PlanNames, claim
from workers.toml.table import TomlTable

Written = Mapping[str, Any]  # a table of a stored claim


def taken(recipe: Recipe, plan: Plan, size: str) -> dict[str, object]:
    return {
        "title": recipe.title,
        "changed": recipe.changes(plan, size),
        "variants": recipe.changed_variants(plan),
        "workloads": recipe.changed_workloads(plan),
        "claims": [one.as_dict() for one in recipe.claims],
    }


def claims_of(snapshot: Written) -> list[Claim]:
    """Names need no check: they were checked when the recipe was read."""
    written = snapshot.get("claims", [])
    points = [point for one in written for point in _points(one)]
    names = PlanNames(
        variants=tuple(dict.fromkeys(name for point in points for name in _variants(point))),
        workloads=tuple(dict.fromkeys(point["workload"] for point in points if "workload" in point)),
        threads=tuple(sorted({number for point in points for number in _threads(point)})),
    )
    return [claim(TomlTable("the stored claims", f"claims[{n}]", one), names) for n, one in enumerate(written, start=1)]


def variants_of(claim: Written) -> list[str]:
    return list(dict.fromkeys(name for point in _points(claim) for name in _variants(point)))


def _points(value: object) -> list[Written]:
    """Every table in a claim, at any depth; tables of points are among them."""
    if not isinstance(value, Mapping):
        return []
    return [value, *(found for one in value.values() for found in _points(one))]


def _variants(point: Written) -> list[str]:
    return [point["variant"]] if "variant" in point else list(point.get("variants", []))


def _threads(point: Written) -> list[int]:
    threads = point.get("threads", [])
    return list(threads) if isinstance(threads, list) else [threads]
