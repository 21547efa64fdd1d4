"""The plan's fields as a table of docs/recipes.md: `python -m tests.plan_document` prints it."""

from collections.abc import Iterator

from workers.bench.plan import CrashPlan, Plan
from workers.bench.plan_field import KINDS, PlanField, fields_of


def table() -> str:
    """Markdown. The fields of `[plan.crash]` follow those of `[plan]`."""
    rows = [*_rows(Plan, ""), *_rows(CrashPlan, "crash.")]
    return "\n".join(["| field | value | default | in a recipe | |", "|---|---|---|---|---|", *rows])


def _rows(plan: type, prefix: str) -> Iterator[str]:
    for one in fields_of(plan):
        label = one.description.label.removesuffix("?")
        says = f"{label}{'?' if label != one.description.label else '.'} {one.description.help}"
        yield f"| `{prefix}{one.name}` | {_value(one)} | {_default(one)} | {_where(one)} | {says} |"


def _value(one: PlanField) -> str:
    bounds = f", {one.description.least:,} to {one.description.most:,}" if one.description.most is not None else ""
    return KINDS[one.description.kind] + bounds


def _default(one: PlanField) -> str:
    if one.is_required:
        return "must be given"
    return "" if one.default in ("", ()) else f"{one.default}".lower()


def _where(one: PlanField) -> str:
    if not one.description.in_recipe:
        return "no"
    return "yes, and in sizes" if one.description.in_sizes else "yes"


if __name__ == "__main__":
    print(table())
