"""Charts as files, and their payloads against docs/contributing/charts.md."""

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
from tests.walks import report

pytestmark = pytest.mark.django_db
KINDS = {"scaling", "bars", "stacked", "time", "histogram", "ratio", "risk", "model", "residuals"}


def fetch(client, experiment, key, form, **query):
    return client.get(reverse("results:chart", args=[experiment.pk, key, form]), query)


def breaches(key, chart):
    """What a chart's payload has against docs/contributing/charts.md."""
    if chart["key"] != key or chart["kind"] not in KINDS or not chart["title"]:
        yield f"{key}: {chart['key']}, {chart['kind']}, {chart['title']}"
    if bool(chart["series"]) == bool(chart["empty"]):
        yield f"{key}: it has either series or the reason why it is empty"
    for series in chart["series"]:
        if not (series["name"] and 0 <= series["colour"] < 8):
            yield f"{key}: {series['name']}, colour {series['colour']}"
        for dot in series["points"]:
            if ("lo" in dot) != ("hi" in dot):
                yield f"{key}: half an interval at {dot}"
            if chart["x"]["scale"] == "category" and dot["x"] not in chart["x"]["categories"]:
                yield f"{key}: no category has {dot}"


@pytest.mark.parametrize("measured", [None, 0])
def test_every_chart_keeps_to_the_contract(client_in, measured):
    experiment = factory.experiment(measured=measured)
    report(wrong for key in CHARTS for wrong in breaches(key, fetch(client_in, experiment, key, "json").json()))


def test_a_chart_that_breaks_the_contract_is_named():
    series = {"name": "", "colour": 9, "points": [{"x": "c", "lo": 1}]}
    broken = {"key": "b", "kind": "bars", "title": "", "empty": "x", "series": [series], "x": {"scale": "category"}}
    broken["x"]["categories"] = ["a"]
    assert len(list(breaches("a", broken))) == 5


def test_a_variant_keeps_its_colour_whatever_was_measured(client_in):
    full = fetch(client_in, factory.experiment(threads=(1,)), "throughput", "json").json()["series"]
    part = fetch(client_in, factory.experiment(threads=(1,), measured=1), "throughput", "json").json()["series"]
    colours = {one["name"]: one["colour"] for one in full}
    assert colours == {"1/1": 0, "2/0": 1, "0/0": 2}
    assert part[0]["colour"] == colours[part[0]["name"]]


def test_the_csv_holds_the_raw_values(client_in):
    response = fetch(client_in, factory.experiment(), "throughput", "csv")
    rows = list(csv.DictReader(io.StringIO(response.content.decode())))
    assert len(rows) == 6
    assert float(rows[0]["commits per second"]) == pytest.approx(1000, rel=0.05)
    assert "attachment" in response["Content-Disposition"] or "inline" in response["Content-Disposition"]


def test_a_variant_that_looks_like_a_formula_is_quoted_in_the_csv(client_in):
    response = fetch(client_in, factory.experiment({"=HYPERLINK(1)": 10.0, "b": 20.0}), "throughput", "csv")
    assert "'=HYPERLINK(1)" in response.content.decode()


@pytest.mark.parametrize(("key", "form"), [("nonsense", "csv"), ("throughput", "xml")])
def test_a_chart_without_data_or_of_an_unknown_form_has_no_file(client_in, key, form):
    assert fetch(client_in, factory.experiment(measured=0), key, form).status_code == 404


def test_the_seconds_of_a_cell_are_a_file(client_in):
    cell = factory.experiment().cells.first()
    address = reverse("results:cell_chart", args=[cell.pk, "seconds", "json"])
    assert len(client_in.get(address).json()["series"][0]["points"]) == 30


def test_stalled_seconds_are_marked():
    chart = seconds({"t_s": [1, 2, 3, 4], "tps": [900, 2, 910, 905]}, "2/0")
    assert [dot.get("mark", "") for dot in chart.payload()["series"][0]["points"]] == [
        "", "stall", "", ""
    ]  # fmt: skip
    assert seconds({}, "2/0").empty
    assert "warm-up" not in chart.note
    assert "The warm-up (2 s) is a run before this one." in seconds({"tps": [900]}, "2/0", warmup_s=2).note


def test_the_document_holds_the_whole_experiment():
    experiment = factory.experiment(measured=5)
    answer = json.loads(json.dumps(everything(experiment), cls=DjangoJSONEncoder))
    assert len(answer["runs"]) == 5 and len(answer["unmeasured"]) == 13
    assert answer["runs"][0]["columns"]["tps"] and answer["runs"][0]["command"][0] == "sysbench"
    assert str(answer["runs"][0]["environment_id"]) in answer["environments"]
