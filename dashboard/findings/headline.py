"""What the first sentence about an experiment compares. The plan fixes it before the run, so that no pair of variants
is picked because it came out decided. Result page, lists, front page, previews, messages and API all ask here."""

from dataclasses import dataclass

from workers.bench.plan import Plan


@dataclass(frozen=True)
class Headline:
    """This variant against the baseline at that number of threads; `variant` is "" where the plan has but one."""

    baseline: str
    variant: str
    threads: int


def headline(plan: Plan) -> Headline:
    """As the plan says it, else its first variant against its last one at its highest number of threads."""
    names = [variant.name for variant in plan.variants]
    baseline = plan.baseline or names[0]
    rivals = [name for name in names if name != baseline]
    named = plan.main_variant if plan.main_variant in rivals else next(reversed(rivals), "")
    return Headline(baseline, named, plan.main_threads or max(plan.threads, default=0))
