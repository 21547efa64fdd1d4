"""What a search finds an experiment by, as one text."""

import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any


def folded(text: str) -> str:
    """As it is compared: without regard to case, in any script and on any database."""
    return unicodedata.normalize("NFC", text.casefold())


def words_of(name: str, recipe: str, finding: str, plan: Mapping[str, Any]) -> str:
    """Each once, one a line, folded. Of the plan: servers (as they were called then), variants, builds, devices and
    workloads."""
    return folded("\n".join(dict.fromkeys(filter(None, (name, recipe, finding, *_of_plan(plan))))))


def _of_plan(plan: Mapping[str, Any]) -> Iterator[str]:
    for target in plan.get("targets", ()):
        yield target["name"]
    for variant in plan.get("variants", ()):
        yield from (variant["name"], variant.get("build", ""), variant.get("storage", ""))
    for workload in plan.get("workloads", ()):
        yield from (workload["label"], workload["key"])
