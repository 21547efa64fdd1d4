"""Inputs of a form, made from the descriptions of the plan's fields (workers/bench/plan_field.py)."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.forms.boundfield import BoundField

from dashboard.text.names import check_name
from workers.bench.plan import CrashPlan, Plan
from workers.bench.plan_field import Kind, PlanField, fields_of
from workers.bench.trial_kinds import TRIAL_KINDS
from workers.metrics import SOURCES
from workers.topology.faults import HOW_NODES


class Wholes(forms.CharField):
    """Whole numbers with commas or spaces between them, as a tuple."""

    def clean(self, value: object) -> tuple[int, ...]:
        try:
            return tuple(int(part) for part in super().clean(value).replace(",", " ").split())
        except ValueError as wrong:
            raise forms.ValidationError("Write whole numbers, for example 1, 8, 32.") from wrong


class WordsField(forms.CharField):
    """Words with commas or spaces between them, as a tuple."""

    def clean(self, value: object) -> tuple[str, ...]:
        return tuple(super().clean(value).replace(",", " ").split())


class Ticks(forms.MultipleChoiceField):
    widget = forms.CheckboxSelectMultiple


INPUTS: dict[Kind, tuple[type[forms.Field], dict[str, Any]]] = {
    "whole": (forms.IntegerField, {}),
    "number": (forms.FloatField, {}),
    "text": (forms.CharField, {"max_length": 80}),
    "yes": (forms.BooleanField, {"required": False}),
    "wholes": (Wholes, {"max_length": 200}),
    "texts": (Ticks, {"required": False}),
}
MORE: dict[str, dict[str, Any]] = {  # arguments of a form field beyond the plan's description
    "name": {
        "max_length": 120,
        "validators": [check_name],
        "required": False,
        "help_text": "If empty, the name says which servers and settings are compared.",
    },
    "threads": {"initial": "1, 8, 32"},
    "control_trials": {"initial": None, "min_value": 0},
    "main_threads": {"initial": None},
    "kinds": {
        "choices": lambda: [(kind.key, f"{kind.title}. {kind.says}") for kind in TRIAL_KINDS.values()],
        "initial": ["process-kill", "power-loss"],
    },
    "sources": {
        "choices": lambda: [(key, f"{source.title} ({source.cost})") for key, source in SOURCES.items()],
        "initial": list(SOURCES),
    },
}
NODE_FAULTS = "node_faults"  # kinds that are no list to tick; the plan holds all kinds together
SHOWN = {plan: [one for one in fields_of(plan) if one.description.group] for plan in (Plan, CrashPlan)}


def _input(one: PlanField) -> forms.Field:
    make, given = INPUTS[one.description.kind]
    usual = {
        "label": one.description.label,
        "help_text": one.description.help,
        "required": not one.description.may_be_empty,
    }
    return make(**{**usual, "initial": one.proposed, **given, **MORE.get(one.name, {})})


class PlanInputs(forms.Form):
    def __init__(self, data: Mapping[str, object] | None = None, *, initial: dict[str, Any] | None = None) -> None:
        super().__init__(data, initial=initial)
        for one in (*SHOWN[Plan], *SHOWN[CrashPlan]):
            self.fields[one.name] = _input(one)
        self.fields[NODE_FAULTS] = WordsField(
            label="Faults of several nodes", help_text=f"Of a topology. {HOW_NODES}", required=False, max_length=400
        )

    def values(self, plan: type[Plan | CrashPlan]) -> dict[str, Any]:
        """The values as the plan stores them; the default for an empty input."""
        data = {one: self.cleaned_data[one.name] for one in SHOWN[plan]}
        more = self.cleaned_data[NODE_FAULTS]
        data = {one: [*value, *more] if one.name == "kinds" else value for one, value in data.items()}
        return {one.name: one.default if value in (None, "") else one.stored(value) for one, value in data.items()}

    def grouped(self) -> dict[str, dict[str, list[BoundField]]]:
        """Part of the form -> its short inputs, its lists to tick and its single ticks."""
        found: dict[str, dict[str, list[BoundField]]] = {}
        for one in (*SHOWN[Plan], *SHOWN[CrashPlan]):
            how = {"texts": "lists", "yes": "ticks"}.get(one.description.kind, "short")
            found.setdefault(one.description.group, {}).setdefault(how, []).append(self[one.name])
        found["crash"]["short"].append(self[NODE_FAULTS])
        return found


def written(plan: Plan | CrashPlan) -> dict[str, object]:
    """The first values of the inputs, as a person would write this plan. A plan without sources has the usual ones."""
    found = {one: getattr(plan, one.name) for one in SHOWN[type(plan)]}
    inputs = {one.name: _written(one, value) for one, value in found.items() if one.name != "sources" or value}
    if isinstance(plan, CrashPlan):
        inputs |= {"kinds": [kind for kind in plan.kinds if ":" not in kind]}
        inputs |= {NODE_FAULTS: ", ".join(kind for kind in plan.kinds if ":" in kind)}
    return inputs


def _written(one: PlanField, value: Any) -> Any:
    if one.description.kind == "wholes":
        return ", ".join(map(str, value))
    return (value or "") if one.description.one_of else value
