"""The comparison in the first sentence about an experiment. The plan fixes it before the run, so that no pair is picked
because of its result. Result page, lists, front page, previews, messages and API all use it."""

from dataclasses import dataclass

from workers.bench.plan import Plan


@dataclass(frozen=True)
class Headline:
    """This variant against the baseline at that number of threads; `variant` is "" if the plan has only one."""

    baseline: str
    variant: str
    threads: int

    def compares(self, one: str, other: str, threads: int) -> bool:
        """Whether these two variants at that number of threads are the planned comparison, in either order."""
        return {one, other} == {self.variant, self.baseline} and threads == self.threads


def headline(plan: Plan) -> Headline:
    """As the plan says; else its first variant against its last at the highest number of threads."""
    names = [variant.name for variant in plan.variants]
    baseline = plan.baseline or names[0]
    rivals = [name for name in names if name != baseline]
    named = plan.main_variant if plan.main_variant in rivals else next(reversed(rivals), "")
    return Headline(baseline, named, plan.main_threads or max(plan.threads, default=0))
