"""Charts as files, and their payloads against docs/charts.md."""

import csv
import io
import json

import pytest
from django.core.serializers.json import DjangoJSONEncoder
from django.urls import reverse

from dashboard.charts.registry import CHARTS
from dashboard.charts.seconds import seconds
from dashboard.findings.document import everything
from tests.unit.results import factory

pytestmark = pytest.mark.django_db
KINDS = {"scaling", "bars", "stacked", "time", "histogram", "ratio", "risk", "model", "residuals"}


def fetch(client, experiment, key, form, **query):
    return client.get(reverse("results:chart", args=[experiment.pk, key, form]), query)


@pytest.mark.parametrize("key", CHARTS)
@pytest.mark.parametrize("measured", [None, 0])
def test_it_keeps_to_the_contract(client_in, key, measured):
    chart = fetch(client_in, factory.experiment(measured=measured), key, "json").json()
    assert chart["key"] == key and chart["kind"] in KINDS and chart["title"]
    assert bool(chart["series"]) != bool(chart["empty"])
    for series in chart["series"]:
        assert series["name"] and 0 <= series["colour"] < 8
        for dot in series["points"]:
            assert ("lo" in dot) == ("hi" in dot)
            if chart["x"]["scale"] == "category":
                assert dot["x"] in chart["x"]["categories"]


def test_it_keeps_a_variants_colour_whatever_was_measured(client_in):
    full = fetch(client_in, factory.experiment(threads=(1,)), "throughput", "json").json()["series"]
    part = fetch(client_in, factory.experiment(threads=(1,), measured=1), "throughput", "json").json()["series"]
    colours = {one["name"]: one["colour"] for one in full}
    assert colours == {"1/1": 0, "2/0": 1, "0/0": 2}
    assert part[0]["colour"] == colours[part[0]["name"]]


def test_it_writes_raw_values_as_csv(client_in):
    response = fetch(client_in, factory.experiment(), "throughput", "csv")
    rows = list(csv.DictReader(io.StringIO(response.content.decode())))
    assert len(rows) == 6
    assert float(rows[0]["commits per second"]) == pytest.approx(1000, rel=0.05)
    assert "attachment" in response["Content-Disposition"] or "inline" in response["Content-Disposition"]


def test_it_writes_no_formula_into_a_spreadsheet(client_in):
    response = fetch(client_in, factory.experiment({"=HYPERLINK(1)": 10.0, "b": 20.0}), "throughput", "csv")
    assert "'=HYPERLINK(1)" in response.content.decode()


@pytest.mark.parametrize(("key", "form"), [("nonsense", "csv"), ("throughput", "xml")])
def test_it_has_no_other_files(client_in, key, form):
    assert fetch(client_in, factory.experiment(measured=0), key, form).status_code == 404


def test_it_gives_the_seconds_of_a_cell(client_in):
    cell = factory.experiment().cells.first()
    address = reverse("results:cell_chart", args=[cell.pk, "seconds", "json"])
    assert len(client_in.get(address).json()["series"][0]["points"]) == 30


def test_it_marks_stalled_seconds():
    chart = seconds({"t_s": [1, 2, 3, 4], "tps": [900, 2, 910, 905]}, "2/0")
    assert [dot.get("mark", "") for dot in chart.payload()["series"][0]["points"]] == [
        "", "stall", "", ""
    ]  # fmt: skip
    assert seconds({}, "2/0").empty


def test_the_document_holds_the_whole_experiment():
    experiment = factory.experiment(measured=5)
    answer = json.loads(json.dumps(everything(experiment), cls=DjangoJSONEncoder))
    assert len(answer["runs"]) == 5 and len(answer["unmeasured"]) == 13
    assert answer["runs"][0]["columns"]["tps"] and answer["runs"][0]["command"][0] == "sysbench"
    assert str(answer["runs"][0]["environment_id"]) in answer["environments"]
