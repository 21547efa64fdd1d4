"""The plan of a start request, as the form of the pages would make it."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from ninja import Schema
from pydantic import ConfigDict, Field, model_validator

from dashboard.pages.api.fields import Id
from dashboard.portable.shape import with_fields
from dashboard.records.experiments import actions, controls, naming, shelf
from dashboard.records.servers.models import Server
from workers.bench.plan import CrashPlan, Plan, Variant, WorkloadChoice
from workers.bench.plan_field import Kind, PlanField, fields_of
from workers.bench.recipes import QUICK
from workers.errors import PlanError

STRICT = ConfigDict(extra="forbid", allow_inf_nan=False)
FEW = Field(max_length=500)  # the check of the plan reads a list several times before it can refuse a large one
TYPES: dict[Kind, Any] = {
    "whole": int,
    "number": float,
    "text": str,
    "yes": bool,
    "wholes": Annotated[list[int], FEW],
    "texts": Annotated[list[str], FEW],
}
LEFT_OPEN = ("seed", "control_trials")  # null: a random seed, the usual number of control trials


def _inputs(plan: type) -> dict[str, Any]:
    return {one.name: _input(one) for one in fields_of(plan)}


def _input(one: PlanField) -> tuple[object, object]:
    if one.name == "name":
        return str, Field("", description="If empty, the name says which servers and settings are compared.")
    kind = TYPES[one.description.kind]
    default = list(one.proposed) if isinstance(one.proposed, tuple) else one.proposed
    if one.name in LEFT_OPEN:
        return kind | None, Field(None, description=one.description.help)
    is_required = one.is_required and default is None
    return kind, Field(... if is_required else default, description=one.description.help)


@with_fields(_inputs(CrashPlan))
class CrashIn(Schema):
    __doc__ = CrashPlan.__doc__
    model_config = STRICT


@with_fields(_inputs(Plan))
class PlanIn(Schema):
    """A whole plan, as an export holds it, without servers. Without a seed one is drawn."""

    model_config = STRICT
    variants: Annotated[list[Variant], FEW]
    workloads: Annotated[list[WorkloadChoice], FEW]
    crash: CrashIn = Field(default_factory=CrashIn)  # an object as a default is more than generators of clients read


class SourceIn(Schema):
    """Either a recipe, with changes in `set` as on the command line, or a whole plan."""

    model_config = STRICT
    servers: list[Id] = Field(description="Ids of servers.", max_length=500)
    recipe: str = Field("", examples=["group-commit"])
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
    """A plan and its recipe, as arguments of `experiments.actions.create`."""

    plan: Plan
    recipe: str
    size: str


def asked(start: SourceIn) -> Asked:
    """Raises PlanError for an unknown server or recipe, and for a wrong value."""
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
    crash, given = _given(CrashPlan, plan.crash), _given(Plan, plan)
    if crash["control_trials"] is None:
        crash["control_trials"] = controls.usual(crash["trials"], servers)
    if given["seed"] is None:
        given["seed"] = secrets.randbelow(2**31)
    whole = Plan(
        **given,
        targets=tuple(actions.targets(servers)),
        variants=tuple(plan.variants),
        workloads=tuple(plan.workloads),
        crash=CrashPlan(**crash),
    )
    return naming.named(whole)


def _given(plan: type, said: Schema) -> dict[str, Any]:
    return {one.name: one.stored(getattr(said, one.name)) for one in fields_of(plan)}
