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
from workers.bench.review import estimate_s, problems, set_while_running, without_binlog


@dataclass(frozen=True)
class PlanReview:
    """`trials` 0, `estimate_s` None, the others empty: it cannot be started. `written`: by server. In sentences,
    `unwatched`: replicas whose lag no guardrail watches; `unlogged`: sandboxes without a binary log although the plan
    sets how it is flushed; `while_running`: attached servers that get a setting with less effect than a start with it
    would have."""

    refusals: list[str]
    cells: int
    trials: int
    estimate_s: float | None
    written: Mapping[int, WrittenEstimate]
    unwatched: list[str]
    unlogged: list[str]
    while_running: list[str]


def reviewed(plan: Plan, user: Actor, *, production_confirmed: bool) -> PlanReview:
    candidates = queries.candidates(plan)
    refusals = problems(plan, candidates, production_confirmed=production_confirmed)
    refusals += why_not_crash(plan, user)
    if refusals:
        return PlanReview(refusals, plan.size, 0, None, {}, [], [], [])
    trials, written = len(list(plan.trials())), estimates(plan, timezone.now())
    notes = (not_watched(plan), without_binlog(plan, candidates), set_while_running(plan, candidates))
    return PlanReview([], plan.size, trials, estimate_s(plan), written, *notes)
