"""A recipe's file, read and checked. Everything wrong is said with the file, the key and how to mend it (PlanError)."""

import tomllib
from pathlib import Path
from typing import Any

from workers.bench.plan import Plan
from workers.bench.recipes import claims, matrix
from workers.bench.recipes.claims import Names
from workers.bench.recipes.recipe import SIZES, Recipe
from workers.bench.recipes.table import Table
from workers.bench.workloads import WORKLOADS
from workers.errors import PlanError

NUMBERS = ("repeats", "warmup_s", "measure_s", "table_rows")
PLAN = (
    "workloads", "threads", *NUMBERS, "load_workers", "baseline", "main_variant", "main_threads", "sources", "crash",
    "variants", "common", "axes",
)  # fmt: skip
SIZE = ("threads", *NUMBERS, "crash")
CRASH = ("kinds", "trials", "control_trials", "clients", "load_s", "replica")


def read(path: Path, *, is_own: bool = False) -> Recipe:
    table = Table(path.name, "", _parsed(path))
    table.only(("title", "says", "plan", "sizes", "claims"))
    title, says = table.text("title"), table.text("says")
    draft = _draft(table.table("plan"))
    sizes = _sizes(table.table("sizes", {}))
    names = _names(table, draft, sizes)
    read_claims = tuple(claims.claim(one, names) for one in table.tables("claims"))
    recipe = Recipe(path.stem, title, says, draft, sizes, read_claims, is_own)
    for size in SIZES:
        _must_fit(table, recipe.plan([], size=size))
    return recipe


def _parsed(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise PlanError(f"{path.name} could not be read: {error.strerror}.", "Check who may read it.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise PlanError(f"{path.name} is no TOML: {error}.", "See docs/recipes.md.") from error


def _draft(plan: Table) -> dict[str, Any]:
    plan.only(PLAN)
    return {
        "workloads": [_workload(one) for one in plan.tables("workloads")],
        "variants": matrix.variants(plan),
        "threads": plan.wholes("threads"),
        **{name: plan.whole(name) for name in NUMBERS},
        "baseline": plan.text("baseline", ""),
        "main_variant": plan.text("main_variant", ""),
        "main_threads": plan.whole("main_threads", 0),
        "load_workers": plan.whole("load_workers", 1),
        "sources": plan.texts("sources") if "sources" in plan else (),
        "crash": _crash(plan.table("crash", {})),
    }


def _workload(table: Table) -> dict[str, Any]:
    table.only(("label", "key", "params"))
    params, key = table.table("params", {}), table.text("key")
    if key not in WORKLOADS:
        raise table.wrong("key", f"is {key!r}, which is no workload", f"There are: {', '.join(WORKLOADS)}.")
    return {
        "label": table.text("label", WORKLOADS[key].title),
        "key": key,
        "params": {name: params.text(name) for name in params.data},
    }


def _sizes(sizes: Table) -> dict[str, dict[str, Any]]:
    sizes.only(SIZES)
    return {name: _size(sizes.table(name)) for name in sizes.data}


def _size(table: Table) -> dict[str, Any]:
    table.only(SIZE)
    found: dict[str, Any] = {name: table.whole(name) for name in NUMBERS if name in table}
    if "threads" in table:
        found["threads"] = table.wholes("threads")
    return found | ({"crash": _crash(table.table("crash"))} if "crash" in table else {})


def _crash(table: Table) -> dict[str, Any]:
    table.only(CRASH)
    counts = ("trials", "control_trials", "clients")
    found: dict[str, Any] = {name: table.whole(name) for name in counts if name in table}
    if "kinds" in table:
        found["kinds"] = table.texts("kinds")
    if "load_s" in table:
        found["load_s"] = float(table.number("load_s") or 0)
    if "replica" in table:
        found["replica"] = bool(table.data["replica"])
    return found


def _names(table: Table, draft: dict[str, Any], sizes: dict[str, dict[str, Any]]) -> Names:
    threads = sorted({*draft["threads"], *(one for size in sizes.values() for one in size.get("threads", ()))})
    variants = tuple(variant["name"] for variant in draft["variants"])
    workloads = tuple(workload["label"] for workload in draft["workloads"])
    if not variants or not workloads:
        what = "variant" if not variants else "workload"
        raise table.wrong("plan", f"has no {what}", f"Add at least one {what}.")
    return Names(variants, workloads, tuple(threads))


def _must_fit(table: Table, plan: Plan) -> None:
    """Names are what claims refer to: each must be there once. What the headline compares must exist in each size."""
    variants = [variant.name for variant in plan.variants]
    for names in (variants, [workload.label for workload in plan.workloads]):
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise table.wrong("plan", f"has {twice[0]!r} twice", "Give each variant and workload a name of its own.")
    for key, name in (("baseline", plan.baseline), ("main_variant", plan.main_variant)):
        if name and name not in variants:
            raise table.wrong(f"plan.{key}", f"is {name!r}", f"There are: {', '.join(variants)}.")
    if plan.main_threads and plan.main_threads not in plan.threads:
        measured = ", ".join(map(str, plan.threads))
        raise table.wrong("plan.main_threads", f"is {plan.main_threads}", f"A size measures: {measured}.")
