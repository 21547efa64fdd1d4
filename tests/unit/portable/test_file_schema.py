"""The documents say what a file holds, and files hold no more."""

import dataclasses
import json

import jsonschema_rs
import pytest

from dashboard.installation.home import PROJECT
from dashboard.portable import shape
from dashboard.portable.write import file_of
from tests.unit.portable import files
from workers.bench import plan

SCHEMA = PROJECT / "docs/experiment-file.schema.json"
DOCUMENT = (PROJECT / "docs/portable.md").read_text()
MAKE = "manage.py experiment schema > docs/experiment-file.schema.json"


def test_the_schema_is_the_one_that_is_checked():
    assert json.loads(SCHEMA.read_text()) == shape.schema(), MAKE


@pytest.mark.parametrize(
    ("here", "there"),
    [
        (shape.FilePlan, plan.Plan),
        (shape.FileTarget, plan.PlanTarget),
        (shape.FileVariant, plan.Variant),
        (shape.FileWorkload, plan.WorkloadChoice),
        (shape.FileCrash, plan.CrashPlan),
    ],
)
def test_a_plan_in_a_file_is_a_whole_plan(here, there):
    missing = {field.name for field in dataclasses.fields(there)} - set(here.model_fields)
    assert not missing, "a field of the plan says nothing of itself: see workers/bench/plan_field.py"


def test_every_part_is_in_the_document():
    for name in (shape.INDEX, *shape.NAMES.values()):
        assert f"`{name.replace('{:05}', 'N')}`" in DOCUMENT


@pytest.mark.django_db
def test_a_file_fits_the_schema():
    found = files.unpacked(file_of(files.experiment()))
    schema = json.loads(SCHEMA.read_text())
    index = json.loads(found[shape.INDEX])
    assert jsonschema_rs.is_valid(schema, index)
    assert not jsonschema_rs.is_valid(schema, {**index, "cells": [{}]})  # the control
    for kind, part in schema["parts"].items():
        for name, content in found.items():
            if name.startswith(f"{kind}/"):
                assert jsonschema_rs.is_valid({**part, "$defs": schema["$defs"]}, json.loads(content)), name
