"""The settings that attached servers have now, and the plan that keeps them: a result can then say which variant is the
setting of the server."""

from collections.abc import Collection
from dataclasses import replace

from django.db.models import OuterRef, Subquery

from dashboard.records.servers.models import Preflight, Server
from workers.bench.plan import Plan, PlanTarget
from workers.servers.printable import storable


def present_settings(server_ids: Collection[int]) -> dict[int, dict[str, str]]:
    """Of these servers: id -> its settings at the last preflight that reached it; one query."""
    answers = Preflight.objects.filter(state=Preflight.State.DONE).exclude(facts={})
    last = answers.filter(server=OuterRef("pk")).values("facts__settings")[:1]
    found = Server.objects.filter(pk__in=server_ids).annotate(present=Subquery(last)).values_list("pk", "present")
    return {pk: storable(settings) for pk, settings in found if settings}


def with_present(plan: Plan) -> Plan:
    """The plan with the present settings of its servers, as far as variants name them."""
    known = present_settings([target.server_id for target in plan.targets])
    named = {name for variant in plan.variants for name in variant.settings}

    def kept(target: PlanTarget) -> PlanTarget:
        has = known.get(target.server_id)
        return replace(target, present={name: has[name] for name in sorted(named & has.keys())} if has else None)

    return replace(plan, targets=tuple(map(kept, plan.targets)))
