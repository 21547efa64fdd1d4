"""A field of the plan is said once. A field is added to the plan, and is looked for wherever people meet a plan."""

import json
import os
import subprocess
import sys

import pytest

from dashboard.installation.home import PROJECT
from workers.bench.plan import CrashPlan, Plan
from workers.bench.plan_field import fields_of

ADD = """
import dataclasses, json, os, sys, tomllib
from pathlib import Path
from workers.bench import plan as plans
from workers.bench.plan_field import described

FIELDS = {}
if sys.argv[1] == "with":
    @dataclasses.dataclass(frozen=True)
    class Plan(plans.Plan):
        rest_s: int = dataclasses.field(default=0, metadata=described(
            "whole", "Rest", "Between two cells.", least=0, most=60, group="length", in_sizes=True, asks=True,
            tells_apart="unless default"))
    plans.Plan = Plan

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
import django
django.setup()
from dashboard.pages.api.document import openapi
from dashboard.commands.management.commands.experiment import Command
from dashboard.pages.experiments.plan_inputs import PlanInputs
from dashboard.records.history.track_keys import load_track
from dashboard.portable import shape
from workers.bench import recipes
from workers.bench.recipes.recipe_file import read
from workers.bench.review import problems
from workers.errors import PlanError

def tried(attempt):
    try:
        return attempt()
    except PlanError as refused:
        return str(refused)

recipe = recipes.load("group-commit")
changed = tried(lambda: recipe.plan([], {"rest_s": "7"}))
file = Path(sys.argv[2])
text = Path(recipes.FOLDER / "group-commit.toml").read_text()
file.write_text(text.replace("[plan]\\n", "[plan]\\nrest_s = 5\\n", 1))
inputs = PlanInputs()
plain = recipe.plan([])
set_to = lambda value: dataclasses.replace(plain, rest_s=value) if sys.argv[1] == "with" else plain
track = lambda plan: load_track(plan, 1, plan.variants[0].name, plan.workloads[0].label, plan.threads[0]).condition
print(json.dumps({
    "form": str(inputs["rest_s"].label_tag()) if "rest_s" in inputs.fields else "",
    "template": any(one.name == "rest_s" for one in inputs.grouped()["length"]["short"]),
    "--set": getattr(changed, "rest_s", changed),
    "--help": "rest_s" in Command().create_parser("manage.py", "experiment")._subparsers._group_actions[0]
        .choices["run"].format_help(),
    "recipe": tried(lambda: getattr(read(file).plan([]), "rest_s", "")),
    "recipe changed": recipe.changes(changed, "quick") if not isinstance(changed, str) else [],
    "API": openapi()["components"]["schemas"]["PlanIn"]["properties"].get("rest_s"),
    "file": shape.schema()["$defs"]["FilePlan"]["properties"].get("rest_s"),
    "check": "Rest: 99 is not between 0 and 60." in problems(set_to(99), {}),
    "tells apart": track(set_to(9)) != track(plain),
    "tracks from before": track(plain),
}))
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """Where the field is met, in a process whose plan has it and in one whose plan does not."""
    return {which: asked(which, tmp_path_factory.mktemp("plan")) for which in ("with", "without")}


def asked(which: str, folder) -> dict:
    env = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}  # it costs twice more
    argv = [sys.executable, "-c", ADD, which, str(folder / "mine.toml")]
    said = subprocess.run(argv, cwd=PROJECT, env=env, capture_output=True, text=True)
    assert said.returncode == 0, said.stderr
    return json.loads(said.stdout)


def test_a_new_field_is_wherever_a_plan_is(found):
    there = found["with"]
    assert "Rest" in there["form"]
    assert there["template"], "the template draws the fields of each group"
    assert there["--set"] == 7
    assert there["--help"]
    assert there["recipe"] == 5
    assert there["recipe changed"] == ["Rest 7 instead of 0"]
    assert there["API"]["description"] == "Between two cells."
    assert there["API"]["default"] == 0
    assert (there["file"]["minimum"], there["file"]["maximum"]) == (0, 60)
    assert there["check"]
    assert there["tells apart"]


def test_without_it_nobody_knows_it(found):
    """The control."""
    there = found["without"]
    places = ("form", "template", "--help", "API", "file", "check", "tells apart")
    assert not any(there[where] for where in places)
    assert "no 'rest_s' to set" in there["--set"]
    assert "plan.rest_s is not known here" in there["recipe"]


def test_measurements_from_before_stay_the_same(found):
    assert found["with"]["tracks from before"] == found["without"]["tracks from before"]


def test_every_field_says_what_it_is():
    for one in (*fields_of(Plan), *fields_of(CrashPlan)):
        assert one.description.label, one.name
        assert one.description.help.endswith("."), one.name
