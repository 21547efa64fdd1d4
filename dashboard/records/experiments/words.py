"""The text in which a search looks for an experiment."""

import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any


def folded(text: str) -> str:
    """For comparisons that ignore case, in any script and on any database."""
    return unicodedata.normalize("NFC", text.casefold())


def words_of(name: str, recipe: str, finding: str, plan: Mapping[str, Any]) -> str:
    """One term per line, folded, without duplicates. Terms of the plan: servers (names of that time), variants, builds,
    devices and workloads."""
    return folded("\n".join(dict.fromkeys(filter(None, (name, recipe, finding, *_of_plan(plan))))))


def _of_plan(plan: Mapping[str, Any]) -> Iterator[str]:
    for target in plan.get("targets", ()):
        yield target["name"]
    for variant in plan.get("variants", ()):
        yield from (variant["name"], variant.get("build", ""), variant.get("storage", ""))
    for workload in plan.get("workloads", ()):
        yield from (workload["label"], workload["key"])
