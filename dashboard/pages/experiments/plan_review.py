"""What a start would do, and what forbids it. Nothing is started."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils import timezone

from dashboard.findings.attached.followers import not_watched
from dashboard.findings.written import WrittenEstimate, estimates
from dashboard.records.accounts.actor import Actor
from dashboard.records.experiments import queries
from dashboard.records.experiments.rights import why_not_crash
from workers.bench.plan import Plan
from workers.bench.review import estimate_s, problems


@dataclass(frozen=True)
class PlanReview:
    """`trials` 0, `estimate_s` None, `written` and `unwatched` empty: it cannot be started. `written`: by server.
    `unwatched`: replicas whose lag no guardrail watches, in sentences."""

    refusals: list[str]
    cells: int
    trials: int
    estimate_s: float | None
    written: Mapping[int, WrittenEstimate]
    unwatched: list[str]


def reviewed(plan: Plan, user: Actor, *, production_confirmed: bool) -> PlanReview:
    refusals = problems(plan, queries.candidates(plan), production_confirmed=production_confirmed)
    refusals += why_not_crash(plan, user)
    if refusals:
        return PlanReview(refusals, plan.size, 0, None, {}, [])
    trials, written = len(list(plan.trials())), estimates(plan, timezone.now())
    return PlanReview([], plan.size, trials, estimate_s(plan), written, not_watched(plan))
