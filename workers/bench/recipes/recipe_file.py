"""Reads and checks a recipe's file. A PlanError names the file, the key and the fix.

Variants as every combination of the options of some axes, over common settings.

    [plan.common]
    storage = "hdd-10k"
    settings = { innodb_flush_log_at_trx_commit = "1" }

    [plan.axes.server]
    "MySQL 5.5" = { build = "mysql-5.5.34" }
    "MySQL 5.6" = { build = "mysql-5.6.14" }

    [plan.axes.binlog]
    "binlog off" = { settings = { log_bin = "OFF" } }
    "binlog on" = { settings = { log_bin = "ON", sync_binlog = "1" } }

makes four variants, the first called "MySQL 5.5, binlog off". Variants in `[[plan.variants]]` come first.
"""

from collections.abc import Iterable
from itertools import product
from pathlib import Path
from typing import Any

from workers.bench.plan import CrashPlan, Plan
from workers.bench.plan_field import PlanField, dangling, fields_of
from workers.bench.recipes import claims
from workers.bench.recipes.claims import PlanNames
from workers.bench.recipes.recipe import SIZES, Recipe
from workers.bench.workloads import WORKLOADS
from workers.toml.table import TomlTable

PLAN = [one for one in fields_of(Plan) if one.description.in_recipe]
PARTS = ("settings", "engine", "build", "storage", "topology")  # of a variant
CRASH = [one for one in fields_of(CrashPlan) if one.description.in_recipe]
Draft = dict[str, Any]  # fields of the plan or of a part of it, as its JSON has them


def read(path: Path, *, is_own: bool = False) -> Recipe:
    table = TomlTable.of_file(path)
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


def _draft(plan: TomlTable) -> Draft:
    plan.only(("workloads", *(one.name for one in PLAN), "crash", "variants", "common", "axes"))
    return {
        "workloads": [_workload(one) for one in plan.tables("workloads")],
        "variants": _variants(plan),
        **{one.name: one.default for one in PLAN if not one.is_required},
        **_read(plan, [one for one in PLAN if one.is_required or one.name in plan]),
        "crash": _crash(plan.table("crash", {})),
    }


def _read(table: TomlTable, wanted: Iterable[PlanField]) -> Draft:
    """Each of these fields in its type. Raises PlanError when one is missing or of another type."""
    return {one.name: one.stored(getattr(table, one.description.kind)(one.name)) for one in wanted}


def _workload(table: TomlTable) -> Draft:
    table.only(("label", "key", "params"))
    params, key = table.table("params", {}), table.one_of("key", WORKLOADS)
    return {
        "label": table.text("label", WORKLOADS[key].title),
        "key": key,
        "params": {name: params.text(name) for name in params.data},
    }


def _sizes(sizes: TomlTable) -> dict[str, Draft]:
    sizes.only(SIZES)
    return {name: _size(sizes.table(name)) for name in sizes.data}


def _size(table: TomlTable) -> Draft:
    changeable = [one for one in PLAN if one.description.in_sizes]
    table.only((*(one.name for one in changeable), "crash"))
    found = _read(table, [one for one in changeable if one.name in table])
    return found | ({"crash": _crash(table.table("crash"))} if "crash" in table else {})


def _crash(table: TomlTable) -> Draft:
    """Only written fields: a size changes nothing else, and missing control trials follow a rule."""
    table.only(one.name for one in CRASH)
    return _read(table, [one for one in CRASH if one.name in table])


def _names(table: TomlTable, draft: Draft, sizes: dict[str, Draft]) -> PlanNames:
    threads = sorted({*draft["threads"], *(one for size in sizes.values() for one in size.get("threads", ()))})
    variants = tuple(variant["name"] for variant in draft["variants"])
    workloads = tuple(workload["label"] for workload in draft["workloads"])
    if not variants or not workloads:
        what = "variant" if not variants else "workload"
        raise table.wrong("plan", f"has no {what}", f"Add at least one {what}.")
    return PlanNames(variants, workloads, tuple(threads))


def _must_fit(table: TomlTable, plan: Plan) -> None:
    """Names must be unique, because claims refer to them. Each size must have the headline's variant and threads."""
    variants = [variant.name for variant in plan.variants]
    for names in (variants, [workload.label for workload in plan.workloads]):
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise table.wrong("plan", f"has {twice[0]!r} twice", "Give each variant and workload a name of its own.")
    for field, value in dangling(plan):
        known = variants if field.description.one_of == "variants" else map(str, plan.threads)
        raise table.wrong(f"plan.{field.name}", f"is {value!r}", f"There are: {', '.join(known)}.")


def _variants(plan: TomlTable) -> list[Draft]:
    """As for Plan.from_dict. Raises PlanError."""
    common = _part(plan.table("common", {}))
    written = [_merged(_named(table), common) for table in plan.tables("variants")]
    return written + (_combined(plan.table("axes"), common) if "axes" in plan else [])


def _named(table: TomlTable) -> Draft:
    unnamed = {key: value for key, value in table.data.items() if key != "name"}
    return {"name": table.text("name"), **_part(TomlTable(table.file, table.path, unnamed))}


def _combined(axes: TomlTable, common: Draft) -> list[Draft]:
    return [_chosen(one, common) for one in product(*(_options(axes.table(axis)) for axis in axes.data))]


def _options(axis: TomlTable) -> list[tuple[str, Draft]]:
    if not axis.data:
        raise axis.wrong("", "has no options", 'Write one a line: "binlog on" = { settings = { log_bin = "ON" } }.')
    return [(name, _part(axis.table(name))) for name in axis.data]


def _chosen(options: tuple[tuple[str, Draft], ...], common: Draft) -> Draft:
    made: Draft = {"name": ", ".join(name for name, _ in options)}
    for _, part in options:
        made = _merged(part, made)
    return _merged(made, common)


def _merged(part: Draft, under: Draft) -> Draft:
    """`part` over `under`; settings are joined name by name."""
    settings = {**under.get("settings", {}), **part.get("settings", {})}
    return {**under, **part, "settings": settings}


def _part(table: TomlTable) -> Draft:
    table.only(PARTS)
    settings = table.table("settings", {})
    texts = {name: table.text(name) for name in PARTS[1:] if name in table}
    return {**texts, "settings": {name: settings.text(name) for name in settings.data}}
