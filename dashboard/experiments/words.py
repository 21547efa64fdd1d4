"""The words of a plan that a search finds it by."""

from collections.abc import Iterator, Mapping
from typing import Any


def words_of(plan: Mapping[str, Any]) -> str:
    """Names of its servers (as they were then), variants, builds, devices and workloads, each once, one a line."""
    return "\n".join(dict.fromkeys(filter(None, _words(plan))))


def _words(plan: Mapping[str, Any]) -> Iterator[str]:
    for target in plan.get("targets", ()):
        yield target["name"]
    for variant in plan.get("variants", ()):
        yield variant["name"]
        yield variant.get("build", "")
        yield variant.get("storage", "")
    for workload in plan.get("workloads", ()):
        yield workload["label"]
        yield workload["key"]
