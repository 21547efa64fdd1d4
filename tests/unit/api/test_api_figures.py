"""Charts, the crash matrix and the history by token: the values that the pages get."""

import json

import pytest
from django.urls import reverse

from dashboard.charts.registry import CHARTS
from dashboard.findings.shown import shown
from dashboard.pages.api.document import openapi
from dashboard.pages.api.resources import figures
from dashboard.pages.results.addresses import Addresses
from dashboard.pages.results.crash.matrix import matrix
from dashboard.records.accounts.role import Role
from dashboard.records.history.figures import FIGURES
from tests.unit.api.tokens import script, somebody
from tests.unit.history import nights
from tests.unit.results import factory, trials

pytestmark = pytest.mark.django_db


@pytest.fixture
def vera(db):
    return script(somebody(Role.VIEWER, "vera"), "see")


def got(client, path, status=200):
    answer = client.get(f"/api/v1/{path}")
    assert answer.status_code == status, answer.content
    return answer.json()


@pytest.mark.parametrize("key", CHARTS)
def test_a_chart_is_the_one_of_the_page(vera, client_in, key):
    made = trials.experiment()
    page = client_in.get(f"/results/{made.pk}/charts/{key}.json").json()
    chart = got(vera, f"experiments/{made.pk}/charts/{key}")
    rows = got(vera, f"experiments/{made.pk}/charts/{key}/rows?limit=200")
    assert (chart["title"], chart["kind"], chart["empty"]) == (page["title"], page["kind"], page["empty"])
    assert (chart["columns"], rows["items"]) == (page["table"]["columns"], page["table"]["rows"][:200])
    assert rows["count"] == len(page["table"]["rows"])
    assert chart["own_scales"] == page.get("own_scales", False)
    for mine, theirs in zip(chart["series"], page["series"], strict=True):
        assert theirs.items() <= {**mine, "points": theirs["points"]}.items()
        assert all(one.items() <= other.items() for one, other in zip(theirs["points"], mine["points"], strict=True))


def test_a_choice_is_the_place_in_the_plan(vera, client_in):
    made = factory.experiment(workloads=("update by key", "insert"))
    one, other = (got(vera, f"experiments/{made.pk}/charts/throughput?workload={n}") for n in (0, 1))
    page = client_in.get(f"/results/{made.pk}/charts/throughput.json?workload=1").json()
    assert [dot["y"] for dot in other["series"][0]["points"]] == [dot["y"] for dot in page["series"][0]["points"]]
    assert one["key"] == other["key"] == "throughput"


def test_the_matrix_has_the_cells_of_the_page_in_parts(vera):
    made = trials.experiment()
    rows = matrix(shown(made), Addresses(made.pk))
    told = got(vera, f"experiments/{made.pk}/matrix")
    assert told["count"] == len(rows) > 1
    assert [(row["name"], [cell["counts"] for cell in row["cells"]]) for row in told["items"]] == [
        (row.name, [cell.counts for cell in row.cells]) for row in rows
    ]
    losses = {(one["commits"], one["time"]) for row in told["items"] for cell in row["cells"] for one in cell["losses"]}
    assert losses == {one for row in rows for cell in row.cells for one in cell.losses} != set()
    part = got(vera, f"experiments/{made.pk}/matrix?limit=1&offset=1")
    assert part["items"] == told["items"][1:2] and part["count"] == len(rows)
    assert got(vera, f"experiments/{factory.experiment().pk}/matrix") == {"items": [], "count": 0}


def test_the_history_has_the_points_of_the_page(vera, client_in):
    server = factory.server()
    nights.history(server, 1000 * nights.noise(12))
    told = got(vera, f"servers/{server.pk}/history")
    [load] = [one for one in told["conditions"] if one["chosen"]]
    assert load["kind"] == "load" and told["finding"]
    for key in FIGURES:
        query = f"load={load['key']}&nights=30"
        page = client_in.get(f"{reverse('history:chart', args=[server.pk, key, 'json'])}?{query}").json()
        chart = got(vera, f"servers/{server.pk}/history/{key}?{query}")
        rows = got(vera, f"servers/{server.pk}/history/{key}/rows?{query}&limit=5")
        assert [[dot["y"] for dot in one["points"]] for one in chart["series"]] == [
            [dot["y"] for dot in one["points"]] for one in page["series"]
        ]
        assert (rows["items"], rows["count"]) == (page["table"]["rows"][:5], len(page["table"]["rows"]))


@pytest.mark.parametrize(
    "path",
    [
        "experiments/{}/charts/none", "experiments/{}/charts/risk?workload=-1", "experiments/{}/charts/risk?lost=x",
        "experiments/{}/charts/seconds/rows?limit=201", "experiments/{}/matrix?limit=0", "servers/{}/history/none",
        "servers/{}/history/p99?load=x", "servers/{}/history/p99?nights=1000000",
    ],
)  # fmt: skip
def test_a_wrong_choice_is_refused(vera, path):
    assert got(vera, path.format(trials.experiment().pk), 422)["errors"]


def test_what_is_not_there_is_not_found(vera):
    for path in ("experiments/4711/charts/risk", "experiments/4711/matrix", "servers/4711/history"):
        got(vera, path, 404)


def test_a_chart_with_too_many_points_is_answered_in_rows_only(vera, monkeypatch):
    made = factory.experiment()
    monkeypatch.setattr(figures, "MOST_POINTS", 1)
    assert "Read its rows" in got(vera, f"experiments/{made.pk}/charts/throughput", 409)["detail"]
    assert got(vera, f"experiments/{made.pk}/charts/throughput/rows?limit=1")["items"]


def test_an_infinite_number_of_a_table_is_null(monkeypatch):
    class Endless:
        class table:
            rows = ((1, float("inf"), float("nan"), "x", 0.5),)

    assert json.loads(json.dumps(figures._rows(Endless))) == [[1, None, None, "x", 0.5]]


def test_the_document_lists_the_keys_of_charts():
    paths = openapi()["paths"]
    [key] = [
        one["schema"]["enum"]
        for one in paths["/api/v1/experiments/{experiment_id}/charts/{key}"]["get"]["parameters"]
        if one["name"] == "key"
    ]
    assert key == [*CHARTS]
