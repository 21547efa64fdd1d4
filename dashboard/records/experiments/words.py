"""The text in which a search looks for an experiment."""

import unicodedata
from collections.abc import Iterator

from dashboard.records.plan_outline import PlanOutline


def folded(text: str) -> str:
    """For comparisons that ignore case, in any script and on any database."""
    return unicodedata.normalize("NFC", text.casefold())


def words_of(name: str, recipe: str, finding: str, plan: PlanOutline) -> str:
    """One term per line, folded, without duplicates. Terms of the plan: servers (names of that time), variants, builds,
    devices and workloads."""
    return folded("\n".join(dict.fromkeys(filter(None, (name, recipe, finding, *_of_plan(plan))))))


def _of_plan(plan: PlanOutline) -> Iterator[str]:
    for target in plan.targets:
        yield target.name
    for variant in plan.variants:
        yield from (variant.name, variant.build, variant.storage)
    for workload in plan.workloads:
        yield from (workload.label, workload.key)
