"""What the first sentence about an experiment compares. The plan fixes it before the run, so that no pair of variants
is picked because it came out decided. Result page, lists, front page, previews, messages and API all ask here."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Headline:
    """This variant against the baseline at that number of threads; `variant` is "" where the plan has but one."""

    baseline: str
    variant: str
    threads: int


def headline(plan: Mapping[str, Any]) -> Headline:
    """As the plan says it, else its first variant against its last one at its highest number of threads. Plans from
    before this choice say nothing of it."""
    names = [variant["name"] for variant in plan["variants"]]
    baseline = plan.get("baseline") or names[0]
    rivals = [name for name in names if name != baseline]
    named = plan.get("main_variant", "")
    threads = plan.get("main_threads") or max(plan.get("threads", ()), default=0)
    return Headline(baseline, named if named in rivals else next(reversed(rivals), ""), threads)
