"""The claims of a recipe, stored when the experiment was planned and before anything was measured."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dashboard.installation.stored import read
from dashboard.records.experiments.models import Experiment
from workers.analysis.predicates.claim import Claim
from workers.bench.plan import Plan
from workers.bench.recipes import Recipe
from workers.bench.recipes.claims import PlanNames, claim
from workers.toml.table import TomlTable

Table = Mapping[str, object]  # of a claim, as a recipe has it
OF_VARIANTS = ("variant", "variants", "over")  # a ratio is over a point, which is a table of its own


@dataclass(frozen=True)
class StoredClaims:
    """`title`: of the recipe; `changed`: how the plan differs from the recipe, in words; `variants`, `workloads`: those
    that the claims do not mean; `claims`: each as `Claim.as_dict` gives it."""

    title: str = ""
    changed: tuple[str, ...] = ()
    variants: tuple[str, ...] = ()
    workloads: tuple[str, ...] = ()
    claims: tuple[Table, ...] = ()

    def read(self) -> list[Claim]:
        """Names need no check: they were checked when the recipe was read."""
        tables = _tables(self.claims)
        names = PlanNames(
            variants=tuple(_said(tables, *OF_VARIANTS)),
            workloads=tuple(_said(tables, "workload")),
            threads=tuple(sorted(map(int, _said(tables, "threads")))),
        )
        written = (TomlTable("the stored claims", f"claims[{n}]", one) for n, one in enumerate(self.claims, start=1))
        return [claim(table, names) for table in written]


def claims_of_recipe(recipe: Recipe, plan: Plan, size: str) -> StoredClaims:
    return StoredClaims(
        recipe.title,
        tuple(recipe.changes(plan, size)),
        tuple(recipe.changed_variants(plan)),
        tuple(recipe.changed_workloads(plan)),
        tuple(one.as_dict() for one in recipe.claims),
    )


def claims_of(experiment: Experiment) -> StoredClaims:
    """Without claims if it has no recipe."""
    return read(StoredClaims, experiment.claims)


def variants_of(claim: Claim) -> list[str]:
    return _said(_tables(claim.as_dict()), *OF_VARIANTS)


def _tables(value: object) -> list[Table]:
    """Every table in a claim, at any depth; tables of points are among them."""
    if isinstance(value, tuple):
        return [found for one in value for found in _tables(one)]
    return [value, *_tables(tuple(value.values()))] if isinstance(value, Mapping) else []


def _said(tables: Iterable[Table], *names: str) -> list[str]:
    """Under each of these names a table has one value or a list of them, else it counts elsewhere. Each value once."""
    known = (table[name] for table in tables for name in names if name in table)
    found = (one for one in known if not isinstance(one, Mapping))
    each = (said if isinstance(said, list | tuple) else [said] for said in found)
    return list(dict.fromkeys(str(one) for values in each for one in values))
