"""The variant that is the present setting of a server: known without a choice of the reader, for guests too."""

from collections.abc import Mapping

from dashboard.findings.crash.durability import spelled
from workers.bench.plan import Plan, PlanTarget, Variant


def present_variants(plan: Plan) -> dict[int, str]:
    """Server id -> the variant whose settings the server had when the experiment was created; "" if there is none, or
    if its settings are not known."""
    return {target.server_id: _present(plan, target) for target in plan.targets}


def untested(plan: Plan, server_id: int) -> str:
    """The present values of that server, if every variant has another value of one of them; "" otherwise."""
    has = next(one for one in plan.targets if one.server_id == server_id).present or {}
    if not all(_differs(variant, has) for variant in plan.variants):
        return ""
    return ", ".join(f"{name}={value}" for name, value in sorted(has.items()))  # PostgreSQL keeps no order


def _present(plan: Plan, target: PlanTarget) -> str:
    """Of several such variants the one that names the most settings."""
    if target.present is None:
        return ""
    fits = [one for one in plan.variants if is_set(one, target.present)]
    return max(fits, key=lambda one: len(one.settings)).name if fits else ""


def is_set(variant: Variant, has: Mapping[str, str]) -> bool:
    """Whether a server with these settings has all that the variant sets."""
    return all(name in has and spelled(has[name]) == spelled(value) for name, value in variant.settings.items())


def _differs(variant: Variant, has: Mapping[str, str]) -> bool:
    return any(name in has and spelled(has[name]) != spelled(value) for name, value in variant.settings.items())
