"""The groups of the plan's form. A folded one says its present values in one line."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from django import forms
from django.forms.boundfield import BoundField

from dashboard.pages.experiments.plan_inputs import NODE_FAULTS, PlanInputs
from dashboard.records.experiments.kind_names import HISTORIES, RECORDED, in_order, number_of, singular
from workers.bench.plan import Plan
from workers.bench.plan_field import PlanField, fields_of
from workers.guardrails.limit import Limits
from workers.metrics import SOURCES

OWN_FIELDS = {
    "compared": ("binlog", "build", "storage", "own_variants"),
    "load": ("workloads", "own_workloads", "own_transaction"),
}


@dataclass(frozen=True)
class FormGroup:
    summary: str
    is_open: bool  # a field in it has an error
    inputs: dict[str, list[BoundField]]


def groups(form: PlanInputs) -> dict[str, FormGroup]:
    known = summaries(form)
    return {
        key: FormGroup(known.get(key, ""), _has_errors(form, key, inputs), inputs)
        for key, inputs in form.grouped().items()
    }


def summaries(form: forms.BaseForm) -> dict[str, str]:
    return {
        "compared": _compared(form),
        "load": _load(form),
        "crash": _crash(form),
        "length": _length(form),
        "guard": _guard(form),
    }


def product(plan: Plan) -> str:
    """`3 settings x 3 numbers of threads x 3 repeats, each 10 s after 2 s of warm-up`. Single ones are left out."""
    factors = (
        (len(plan.targets), "servers"), (len(plan.variants), "settings"), (len(plan.workloads), "workloads"),
        (len(plan.threads), "numbers of threads"), (plan.repeats, "repeats"),
    )  # fmt: skip
    counts = " x ".join(f"{many} {what}" for many, what in factors if many > 1) or "1"
    return f"{counts}, each {plan.measure_s} s after {plan.warmup_s} s of warm-up{_self_test(plan)}"


def _self_test(plan: Plan) -> str:
    """How many of the crash trials only test the checks."""
    controls = {kind for _, kind in plan.controls()} - set(plan.crash.kinds)
    counted = Counter(trial.kind for trial in plan.trials())
    tests = sum(counted.pop(kind, 0) for kind in controls)
    each = " + ".join(number_of(kind, count) for kind, count in counted.items())
    return f". Crash trials: {each} + {tests} for the self-test of the checks" if tests else ""


def _has_errors(form: forms.BaseForm, key: str, inputs: dict[str, list[BoundField]]) -> bool:
    names = [*OWN_FIELDS.get(key, ()), *(one.name for row in inputs.values() for one in row)]
    return any(form[name].errors for name in names)


def _compared(form: forms.BaseForm) -> str:
    build = _choice(form, "build") if _value(form, "build") else "the installed version"
    kept = "on or off " if _value(form, "binlog") == "keep" else ""
    said = [f"Binary log {kept}{_choice(form, 'binlog')}", build, _choice(form, "storage")]
    if own := _lines(form, "own_variants"):
        said.append(f"{len(own)} variant{'' if len(own) == 1 else 's'} of your own")
    baseline = _value(form, "baseline")
    return ", ".join(said) + (f". Baseline: {baseline}" if baseline else "")


def _load(form: forms.BaseForm) -> str:
    known = _choices(form, "workloads")
    ticked = [known.get(key, key) for key in _value(form, "workloads") or ()]
    own = [line.rpartition(": ")[0] or line for line in _lines(form, "own_workloads")]
    own += ["your own transaction"] if str(_value(form, "own_transaction") or "").strip() else []
    return f"{', '.join([*ticked, *own])}, in a table of {_number(form, 'table_rows')} rows"


def _crash(form: forms.BaseForm) -> str:
    trials = _number(form, "trials")
    if trials in ("", "0"):
        return "None: only speed is measured, the result will not say what is lost"
    typed = str(_value(form, NODE_FAULTS) or "").replace(",", " ").split()
    kinds = in_order([*(_value(form, "kinds") or ()), *typed])
    recorded = {RECORDED: singular(RECORDED).replace("with ", f"with {_number(form, 'points')} ")}
    each = [f"{trials} x {recorded.get(kind) or singular(kind)}" for kind in kinds]
    replica = ", with a replica" if _value(form, "replica") else ""
    own = " and commit your own transaction" if _value(form, "own_load") else ""
    load = f". {_number(form, 'clients')} clients insert rows{own}" if set(kinds) - HISTORIES else ""
    return f"For each setting {', '.join(each)}{replica}{load}"


def _length(form: forms.BaseForm) -> str:
    repeats, seconds, workers = _number(form, "repeats"), _number(form, "measure_s"), _number(form, "load_workers")
    said = [f"{repeats} repeat{'' if repeats == '1' else 's'} of {seconds} s", _sources(form)]
    if workers not in ("", "1"):
        said.append(f"load from {workers} workers")
    return ", ".join(said)


def _guard(form: forms.BaseForm) -> str:
    limits = {one.name: _typed(form, one) for one in fields_of(Plan) if one.description.group == "guard"}
    return f"On attached servers: {Limits(**limits).in_words}"


def _typed(form: forms.BaseForm, one: PlanField) -> float:
    """An empty input means the default. A wrong one has its error beside it."""
    try:
        return float(_value(form, one.name))
    except (TypeError, ValueError):
        return float(one.proposed)


def _sources(form: forms.BaseForm) -> str:
    ticked = len(_value(form, "sources") or ())
    return (
        "fsyncs and group commits are counted"
        if ticked == len(SOURCES)
        else f"fsyncs and group commits are counted from {ticked} of {len(SOURCES)} sources"
    )


def _value(form: forms.BaseForm, name: str) -> Any:
    """As it was typed, also if it is wrong."""
    return form[name].value()


def _choice(form: forms.BaseForm, name: str) -> str:
    found = str(_value(form, name) or "")
    return _choices(form, name).get(found, found).partition(":")[0]


def _choices(form: forms.BaseForm, name: str) -> dict[str, str]:
    return {str(one.data["value"]): str(one.choice_label) for one in form[name].subwidgets}


def _lines(form: forms.BaseForm, name: str) -> list[str]:
    return [line for line in map(str.strip, str(_value(form, name) or "").splitlines()) if line]


def _number(form: forms.BaseForm, name: str) -> str:
    found = _value(form, name)
    text = "" if found is None else str(found)
    return f"{int(text):,}" if text.isdecimal() and len(text) < 10 else text
