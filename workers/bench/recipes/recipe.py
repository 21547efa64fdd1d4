"""A recipe: a ready plan in two sizes, and its claims."""

import secrets
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from workers.analysis.predicates.claim import Claim
from workers.bench.plan import CrashPlan, Plan, PlanTarget, Variant
from workers.bench.plan_field import fields_of
from workers.errors import PlanError

SIZES = {"quick": "minutes", "full": "as the articles measured, hours"}
QUICK = next(iter(SIZES))
PLACES = ("build", "storage")  # of every variant
LOAD, CRASH = ({one.name: one for one in fields_of(kind)} for kind in (Plan, CrashPlan))
SETTABLE = (*LOAD, *CRASH, *PLACES)


@dataclass(frozen=True)
class Recipe:
    """`draft`: a plan without targets and seed; `sizes`: size -> changes of the draft; `is_own`: a user's recipe."""

    key: str
    title: str
    says: str
    draft: Mapping[str, Any]
    sizes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    claims: tuple[Claim, ...] = ()
    is_own: bool = False

    @property
    def claim_ids(self) -> list[str]:
        return list(dict.fromkeys(claim.id for claim in self.claims))

    def plan(
        self, targets: Iterable[PlanTarget], overrides: Mapping[str, str] | None = None, size: str = QUICK
    ) -> Plan:
        """The plan for these targets. `overrides`: as given to --set. Raises PlanError that names the bad one."""
        changed = {name: _parsed(name, value) for name, value in (overrides or {}).items()}
        crash = {name: changed.pop(name) for name in CRASH if name in changed}
        places = {name: changed.pop(name) for name in PLACES if name in changed}
        base = self._sized(size)
        draft = {"name": self.title, "seed": secrets.randbelow(2**31), **base, **changed}
        draft["crash"] = {**base.get("crash", {}), **crash}
        draft["variants"] = [{**variant, **places} for variant in base["variants"]]
        if "threads" in changed and draft.get("main_threads") not in changed["threads"]:
            draft["main_threads"] = 0
        return Plan.from_dict({**draft, "targets": [vars(target) for target in targets]})

    def control_trials(self, size: str) -> int | None:
        """Trials of each control of the crash checks; None: the recipe does not say."""
        trials: int | None = self._sized(size)["crash"].get("control_trials")
        return trials

    def _sized(self, size: str) -> dict[str, Any]:
        if size not in SIZES:
            raise PlanError(f"There is no size {str(size)[:20]!r}.", f"Known: {', '.join(SIZES)}.")
        change = dict(self.sizes.get(size, {}))
        crash = {**self.draft.get("crash", {}), **change.pop("crash", {})}
        return {**self.draft, **change, "crash": crash}

    def changes(self, plan: Plan, size: str) -> list[str]:
        """How a plan differs from this recipe in that size; a result shows this beside its claims."""
        meant = self.plan([], size=size)
        said = [*_differing(plan, meant)]
        said += _differing(plan.crash, meant.crash) if plan.crash.trials or meant.crash.trials else ()
        said += [f"variant {name} was changed" for name in self.changed_variants(plan)]
        said += [f"workload {name} was changed" for name in self.changed_workloads(plan)]
        placed = dict.fromkeys(where for one in plan.variants for where in _placed(one, meant.variants))
        return said + [f"it was measured on {where}" for where in placed]

    def changed_variants(self, plan: Plan) -> list[str]:
        """Variants that are gone, or differ from the recipe. Build and storage may differ if the recipe names none."""
        now = {one.name: one for one in plan.variants}
        meant = self.plan([]).variants
        return [one.name for one in meant if one.name not in now or not _same(one, now[one.name])]

    def changed_workloads(self, plan: Plan) -> list[str]:
        return [one.label for one in self.plan([]).workloads if one not in plan.workloads]


def _differing(now: Plan | CrashPlan, meant: Plan | CrashPlan) -> Iterator[str]:
    """Changed fields that make another question, with both values."""
    for one in fields_of(meant):
        here, there = (_written(getattr(plan, one.name)) for plan in (now, meant))
        if one.description.asks and here != there:
            yield f"{one.description.label} {here} instead of {there}"


def _written(value: object) -> str:
    listed = value if isinstance(value, tuple) else (value,)
    return ", ".join(map(str, listed)).lower() or "none"


def _same(meant: Variant, now: Variant) -> bool:
    fixed = ("settings", "engine", "topology", *(name for name in PLACES if getattr(meant, name)))
    return all(getattr(meant, name) == getattr(now, name) for name in fixed)


def _placed(now: Variant, meant: tuple[Variant, ...]) -> list[str]:
    """Build and storage that the recipe does not name."""
    known = next((one for one in meant if one.name == now.name), now)
    return [getattr(now, name) for name in PLACES if getattr(now, name) and not getattr(known, name)]


def _parsed(name: str, value: str) -> Any:
    """One override as the plan's type. Raises PlanError with the allowed names."""
    if field := LOAD.get(name) or CRASH.get(name):
        return field.parsed(value)
    if name in PLACES:
        return value
    raise PlanError(f"A recipe has no {name!r} to set.", f"Known: {', '.join(SETTABLE)}.")
