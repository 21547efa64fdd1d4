"""What an experiment is called: its servers, then its question."""

from dataclasses import replace

from workers.bench.plan import Plan
from workers.bench.recipes import Recipe

MOST = 120  # characters
MOST_VARIANTS = 4  # of more the number is said


def experiment_name(plan: Plan, recipe: Recipe | None) -> str:
    """The plan's; a recipe's title alone would be the same for each server, so that servers stand before it."""
    if recipe is None or plan.name != recipe.title:
        return plan.name[:MOST]
    first, space, rest = plan.name.partition(" ")
    question = first.lower() + space + rest if first.istitle() else plan.name  # MariaDB and MySQL stay as they are
    return _of_servers(plan, question)


def named(plan: Plan) -> Plan:
    """The same plan; one without a name gets the usual one."""
    return plan if plan.name.strip() else replace(plan, name=usual_name(plan))


def usual_name(plan: Plan) -> str:
    """`db7: what do 1/1 and 0/0 cost, and what do they lose?`"""
    names = [variant.name for variant in plan.variants]
    several = len(names) != 1
    *first, last = names if 0 < len(names) <= MOST_VARIANTS else [f"{len(names)} settings"]
    variants = f"{', '.join(first)} and {last}" if first else last
    does, they = ("do", "do they") if several else ("does", "does it")
    lose = f", and what {they} lose" if plan.crash.trials and plan.crash.kinds else ""
    return _of_servers(plan, f"what {does} {variants} cost{lose}?")


def _of_servers(plan: Plan, question: str) -> str:
    return f"{', '.join(target.name for target in plan.targets)}: {question}"[:MOST]
