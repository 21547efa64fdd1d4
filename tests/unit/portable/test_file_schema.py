"""The documents say what a file holds, and files hold no more."""

import dataclasses
import json

import jsonschema_rs
import pytest

from dashboard.installation.home import PROJECT
from dashboard.portable import shape
from dashboard.portable.refused import NotImported
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


# As version 0.2.0 had it, without descriptions. It refuses unknown fields, as the reader of that version does.
OF_0_2_0 = PROJECT / "tests/unit/portable/experiment-file-0.2.0.schema.json"


def fits_0_2_0(file):
    """Whether 0.2.0 reads each of its parts."""
    schema = json.loads(OF_0_2_0.read_text())
    found = {name: json.loads(content) for name, content in files.unpacked(file).items()}
    parts = [({**part, "$defs": schema["$defs"]}, kind) for kind, part in schema["parts"].items()]
    return jsonschema_rs.is_valid(schema, found[shape.INDEX]) and all(
        jsonschema_rs.is_valid(part, content)
        for part, kind in parts
        for name, content in found.items()
        if name.startswith(f"{kind}/")
    )


@pytest.mark.django_db
def test_version_0_2_0_reads_a_file_of_today():
    assert shape.VERSION == 1, "with another schema version it need not, and this test can go"
    file = file_of(files.experiment())
    assert fits_0_2_0(file)
    assert not fits_0_2_0(files.tampered(file, lambda index: index["plan"].update(speed="high")))  # the control


@pytest.mark.django_db
def test_an_older_version_reads_a_file_that_does_not_use_a_new_field(monkeypatch):
    """The next field of a plan has a default, and is in a file only with another value."""
    newer = shape.with_fields({"speed": (str, "usual")})(shape.FilePlan)
    monkeypatch.setattr(shape, "FileIndex", shape.with_fields({"plan": (newer, ...)})(shape.FileIndex))
    made, as_dict = files.experiment(), plan.Plan.as_dict
    for value, reads in (("usual", True), ("high", False)):
        monkeypatch.setattr(plan.Plan, "as_dict", lambda self, value=value: {**as_dict(self), "speed": value})
        assert fits_0_2_0(file_of(made)) == reads


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("version", "told"),
    [
        ("99.1.0", "written by Durascope 99.1.0, which is newer than this one"),
        ("0.2.0", "plan.speed: Extra inputs are not permitted. Nothing was stored."),
        ("<b>9.9.9</b>", "plan.speed: Extra inputs are not permitted. Nothing was stored."),
    ],
)
def test_an_unknown_field_names_the_version_that_wrote_it(version, told):
    def newer(index):
        index["plan"]["speed"] = "high"
        index["export"]["version"] = version

    with pytest.raises(NotImported) as refused:
        files.imported(files.tampered(file_of(files.experiment()), newer))
    assert told in refused.value.message
    assert ("Upgrade this installation to 99.1.0" in refused.value.fix) == (version == "99.1.0")


@pytest.mark.django_db
def test_a_file_with_all_defaults_is_the_same_experiment():
    """As version 0.2.0 writes it."""
    file = file_of(files.experiment())
    short = files.index_of(file)["plan"]
    whole = shape.FilePlan.model_validate(short).model_dump()
    assert short.keys() < whole.keys()
    first = files.imported(file)
    assert files.imported(files.tampered(file, lambda index: index.update(plan=whole))) == first
