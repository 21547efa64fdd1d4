"""What a start says, as the plan that the pages' form would make of it."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from ninja import Schema
from pydantic import ConfigDict, Field, model_validator
from pydantic.dataclasses import dataclass as checked

from dashboard.api.paging import Id
from dashboard.experiments import actions, controls, shelf
from dashboard.servers.models import Server
from workers.bench.plan import CrashPlan, Plan, Variant, WorkloadChoice
from workers.bench.recipes import QUICK
from workers.errors import PlanError

_strict = checked(frozen=True, config=ConfigDict(extra="forbid", allow_inf_nan=False))
VariantIn, WorkloadIn = _strict(Variant), _strict(WorkloadChoice)
STRICT = ConfigDict(extra="forbid", allow_inf_nan=False)
FEW = Field(max_length=500)  # lists that are gone through more than once before a plan is refused as too large


@_strict
class CrashIn(CrashPlan):
    kinds: Annotated[tuple[str, ...], FEW] = ()
    control_trials: int | None = None  # left open: as the pages' form has it


class PlanIn(Schema):
    """A whole plan, as an export holds it, without servers. Without a seed one is drawn."""

    model_config = STRICT
    name: str
    variants: Annotated[list[VariantIn], FEW]
    workloads: Annotated[list[WorkloadIn], FEW]
    threads: Annotated[list[int], FEW]
    repeats: int = 3
    warmup_s: int = 2
    measure_s: int = 10
    table_rows: int = 10_000
    seed: int | None = None
    baseline: str = ""
    sources: Annotated[list[str], FEW] = []
    crash: CrashIn = CrashIn()
    load_workers: int = 1
    main_variant: str = Field("", description="The headline compares it with the baseline. Empty: the last variant.")
    main_threads: int = Field(0, description="The number of threads of the headline. 0: the highest.")


class SourceIn(Schema):
    """What is measured: either a recipe, with `set` as the command line has it, or a whole plan."""

    model_config = STRICT
    servers: list[Id] = Field(description="Ids of servers.", max_length=500)
    recipe: str = ""
    size: str = QUICK
    set: dict[str, str] = Field({}, description='What differs from the recipe: {"threads": "1,8", "repeats": "3"}')
    plan: PlanIn | None = None

    @model_validator(mode="after")
    def one_of_both(self) -> "SourceIn":
        if bool(self.recipe) == bool(self.plan):
            raise ValueError("Give a recipe or a plan, and not both.")
        if self.plan and self.set:
            raise ValueError("`set` changes a recipe; write it into the plan.")
        return self


class StartIn(SourceIn):
    """Either a recipe, with `set` as the command line has it, or a whole plan."""

    production_confirmed: bool = Field(False, description="Load on a production server is intended.")


@dataclass(frozen=True)
class Asked:
    """A plan and where it comes from, as `experiments.actions.create` wants them."""

    plan: Plan
    recipe: str
    size: str


def asked(start: SourceIn) -> Asked:
    """Raises PlanError: an unknown server or recipe, or a value that does not fit."""
    servers = _servers(start.servers)
    if start.plan:
        return Asked(_whole(start.plan, servers), "", start.size)
    recipe = shelf.load(start.recipe)
    return Asked(actions.plan_recipe(recipe, servers, start.set, start.size), recipe.key, start.size)


def _servers(ids: Sequence[int]) -> list[Server]:
    known = Server.objects.in_bulk(ids)
    if gone := [str(one) for one in ids if one not in known]:
        raise PlanError(f"There is no server {', '.join(gone)}. Nothing was started.")
    return [known[one] for one in ids]


def _whole(plan: PlanIn, servers: Sequence[Server]) -> Plan:
    fields = {name: getattr(plan, name) for name in type(plan).model_fields}
    fields["seed"] = secrets.randbelow(2**31) if plan.seed is None else plan.seed
    if plan.crash.control_trials is None:
        fields["crash"] = replace(plan.crash, control_trials=controls.usual(plan.crash.trials))
    lists = {name: tuple(fields[name]) for name in ("variants", "workloads", "threads", "sources")}
    return Plan(**{**fields, **lists, "targets": tuple(actions.targets(servers))})
