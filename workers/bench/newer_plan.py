"""What this version does not know in a stored plan. While workers are upgraded one after the other, a plan of the newer
version waits for a worker that knows all of it."""

from collections.abc import Iterator, Mapping
from dataclasses import fields

from workers.bench.plan import CrashPlan, Plan, PlanTarget, Variant, WorkloadChoice
from workers.bench.trial_kinds import TRIAL_KINDS
from workers.bench.workloads import WORKLOADS
from workers.errors import NewerPlan
from workers.metrics import SOURCES
from workers.servers.settings import SETTINGS

PARTS = {"targets": PlanTarget, "variants": Variant, "workloads": WorkloadChoice, "crash": CrashPlan}


def read(stored: Mapping[str, object]) -> Plan:
    """A plan that can be run. Raises NewerPlan, and PlanError if it is no plan."""
    plan = with_known_fields(stored)
    _refuse(set(_unknown(plan)))
    return plan


def with_known_fields(stored: Mapping[str, object]) -> Plan:
    """The same; crashes, workloads and settings may be unknown: an older version may have had them."""
    _refuse({name for part, kind in _parts(stored) for name in part.keys() - {one.name for one in fields(kind)}})
    return Plan.from_dict(stored)


def _refuse(unknown: set[str]) -> None:
    if unknown:
        raise NewerPlan(
            f"This version does not know {', '.join(sorted(unknown))} of the plan.",
            "Update Durascope on this host. If there is no newer version, create a new plan.",
        )


def _parts(stored: Mapping[str, object]) -> Iterator[tuple[Mapping[str, object], type]]:
    yield stored, Plan
    for name, kind in PARTS.items():
        found = stored.get(name)
        rows = found if isinstance(found, list) else [found]
        yield from ((row, kind) for row in rows if isinstance(row, dict))


def _unknown(plan: Plan) -> Iterator[str]:
    yield from (one.key for one in plan.workloads if one.key not in WORKLOADS)
    yield from (kind for kind in plan.crash.kinds if kind not in TRIAL_KINDS)
    yield from (key for key in plan.sources if key not in SOURCES)
    yield from (name for variant in plan.variants for name in variant.settings if name not in SETTINGS)
