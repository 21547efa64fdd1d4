"""The fields of a plan, and the words that may stand in them."""

from collections.abc import Iterable, Iterator

from reference.markdown import code, page, plain, table
from workers.bench.plan import CrashPlan, Plan
from workers.bench.plan_field import PlanField, fields_of
from workers.bench.workloads import WORKLOADS
from workers.crash.kinds import CRASH_KINDS
from workers.sandbox.storage import PROFILES

COLUMNS = ("field", "what", "default", "limits", "a size may change it")
KINDS = {
    "whole": "whole number", "number": "number", "text": "text", "yes": "yes or no", "wholes": "list of whole numbers",
    "texts": "list of texts",
}  # fmt: skip


def page_of_plan() -> str:
    return page(
        "Fields of a plan",
        "The form, `--set NAME=VALUE`, recipes, the API and exported files have the same fields. On the command line "
        "the fields of `[plan.crash]` have no prefix.\n",
        "## Plan\n",
        _fields(fields_of(Plan)),
        "## Crash trials: `[plan.crash]`\n",
        _fields(fields_of(CrashPlan)),
        "## Crash kinds\n",
        table(
            ("key", "name", "what happens"),
            ((code(key), plain(one.title), plain(one.says)) for key, one in CRASH_KINDS.items()),
        ),
        "## Workloads\n",
        'Parameters are written as `params = { NAME = "VALUE" }`.\n',
        table(("key", "what a transaction does", "parameters"), _workloads()),
        "## Simulated devices\n",
        "[Simulated devices](../docs/storage.md) has the notation for devices of your own.\n",
        table(("name", "what it simulates"), ((code(key), plain(one.title)) for key, one in PROFILES.items())),
    )


def _fields(found: Iterable[PlanField]) -> str:
    return table(COLUMNS, map(_row, found))


def _row(one: PlanField) -> tuple[str, ...]:
    known = one.description
    limits = f"{known.least:,g} to {known.most:,g}" if known.least is not None and known.most is not None else ""
    says = f"{plain(known.label)}. {plain(known.help)}".strip()
    default = "needed" if one.is_required else code(_written(one.default)) or "empty"
    return code(one.name), f"{says} ({KINDS[known.kind]})", default, plain(limits), "yes" if known.in_sizes else ""


def _written(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _workloads() -> Iterator[tuple[str, ...]]:
    for key, one in WORKLOADS.items():
        params = "; ".join(f"{code(param.name)}: {plain(param.title)}" for param in one.params.values())
        yield code(key), f"{plain(one.title)}. {plain(one.says)}", params
