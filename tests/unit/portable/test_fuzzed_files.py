"""Whatever a file holds: it is refused, or it is stored and every page of it can be made. Nothing in between."""

import io
import json
from copy import deepcopy

import pytest
from django.urls import reverse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dashboard.portable import actions, shape
from dashboard.portable.refused import NotImported
from dashboard.records.experiments.models import Experiment
from tests.examples import tried
from tests.unit.portable import files

# PostgreSQL refuses what SQLite does, and more: NUL, long texts, numbers of more than 32 bits.
pytestmark = [pytest.mark.django_db, pytest.mark.any_database]
SOME = settings(
    max_examples=tried(60),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
VALUES = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
    | st.sampled_from([0, 1, -1, 2**31, 1e300, "", "done", "invalid", "<script>", "\0", [], {}, [[]], [None], {"": ""}])
)  # fmt: skip


def pages(experiment):
    yield from (reverse(name, args=[experiment.pk]) for name in ("results:page", "results:trials"))
    yield from (reverse("results:cell", args=[cell.pk]) for cell in experiment.cells.filter(state="done")[:2])
    yield from (reverse("results:trial", args=[trial.pk]) for trial in experiment.trials.all()[:2])
    yield reverse("portable:export", args=[experiment.pk])
    yield reverse("experiments:list")


def taken(file, client):
    """Whether it was; then all of its pages are asked for, and it goes again."""
    before = Experiment.everything.count()
    try:
        experiment = actions.import_file(None, io.BytesIO(file)).experiment
    except NotImported:
        assert Experiment.everything.count() == before
        return False
    broken = {path: answer.status_code for path in pages(experiment) if (answer := client.get(path)).status_code != 200}
    assert not broken
    experiment.delete()
    return True


def test_the_untouched_file_is_taken(file, client_in):
    assert taken(file, client_in)


@given(st.binary(max_size=300))
@SOME
def test_any_bytes_are_refused(client_in, content):
    assert not taken(content, client_in)


@given(st.data())
@SOME
def test_bytes_of_a_file_that_changed(file, client_in, data):
    broken = bytearray(file)
    for place in data.draw(st.lists(st.integers(0, len(file) - 1), min_size=1, max_size=8)):
        broken[place] = data.draw(st.integers(0, 255))
    cut = data.draw(st.just(len(file)) | st.integers(0, len(file)))
    taken(bytes(broken[:cut]), client_in)


def places(value, at=()):
    """Every place in a JSON value."""
    yield at
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inner:
        yield from places(one, (*at, key))


def put(value, at, new):
    value = deepcopy(value)
    if not at:
        return new
    inside = value
    for key in at[:-1]:
        inside = inside[key]
    inside[at[-1]] = new
    return value


@given(st.data())
@SOME
def test_values_of_the_index_that_changed(file, client_in, data):
    index = files.index_of(file)
    known = [at for at in places(index) if at]
    index = put(index, data.draw(st.sampled_from(known)), data.draw(VALUES))
    found = {**files.unpacked(file), shape.INDEX: json.dumps(index).encode()}
    taken(files.packed(found), client_in)


@given(st.data())
@SOME
def test_values_of_a_part_that_changed(file, client_in, data):
    found = files.unpacked(file)
    name = data.draw(st.sampled_from([name for name in found if name.endswith(".json") and name != shape.INDEX]))
    value = json.loads(found[name])
    value = put(value, data.draw(st.sampled_from([at for at in places(value) if at])), data.draw(VALUES))
    taken(files.tampered(file, **{name: json.dumps(value).encode()}), client_in)
