"""The form of a plan with an own transaction: its preview, its errors, and why it cannot be crashed."""

import pytest

from dashboard.pages.experiments.forms import PlanForm
from dashboard.records.servers.models import Server
from tests.own_transactions import EXAMPLE
from tests.unit.experiments.test_form import filled
from workers.bench.own_review import problems
from workers.bench.workloads import OWN

PAID = "UPDATE orders SET state = 'paid' WHERE id = :order"


@pytest.fixture
def server(db):
    return Server.objects.create(name="Sandbox", kind="sandbox", build="system-mariadb")


def asked(server, **changes):
    return filled(server, **{"workloads": [], "own_transaction": EXAMPLE.replace("\n", "\r\n")} | changes)


def test_the_preview_shows_the_statements_and_whether_they_can_be_crashed(server, client_in):
    told = client_in.post("/experiments/review/", asked(server)).json()
    assert "UPDATE `orders` SET `state` = 'paid' WHERE `id` = 1" in told["own"]
    assert "Crash trials can be judged with it" in told["own"]
    without = client_in.post("/experiments/review/", asked(server, own_transaction="", workloads=["insert"])).json()
    assert without["own"] is None


def test_an_error_of_the_file_names_its_line_and_starts_nothing(server, client_in):
    wrong = asked(server, own_transaction=EXAMPLE.replace("UPDATE orders", "DROP TABLE orders; UPDATE orders"))
    [refusal] = client_in.post("/experiments/review/", wrong).json()["refusals"]
    assert "line " in refusal and "statements[3]" in refusal
    page = client_in.post("/experiments/new/", wrong)
    assert page.status_code == 422 and "statements[3]" in page.content.decode()


@pytest.mark.parametrize("trials", ["0", "1"])
def test_a_wrong_file_on_a_line_of_a_workload_is_a_refusal_of_the_preview(server, client_in, trials):
    line = {"own_transaction": "", "own_workloads": f"x: {OWN} file=abc", "trials": trials, "kinds": ["process-kill"]}
    answer = client_in.post("/experiments/review/", asked(server, own_load="on", **line))
    assert answer.status_code == 200 and answer.json()["own"] is None
    assert any("x" in one for one in answer.json()["refusals"])
    assert client_in.post("/experiments/new/", asked(server, own_load="on", **line)).status_code == 422


def test_an_experiment_that_is_run_again_has_the_same_file(server):
    form = PlanForm(asked(server, own_load="on"))
    assert form.is_valid(), form.errors
    plan = form.plan()
    assert [(one.key, one.label) for one in plan.workloads] == [(OWN, "Place an order")]
    assert plan.workloads[0].params == {"file": EXAMPLE}


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({}, None),
        ({"own_transaction": EXAMPLE.replace(PAID, "DELETE FROM items WHERE amount = 3")}, "not found by the number"),
        ({"own_transaction": "", "workloads": ["insert"]}, "no transaction of your own"),
        ({"replica": "on"}, "replica"),
        ({"kinds": ["every-crash-point"]}, "not tried under your own transaction"),
        ({"own_variants": "three: sync_binlog=1 topology=2xasync"}, "Failovers"),
        ({"own_variants": "words: binlog_format=mixed"}, "Set binlog_format=ROW"),
        ({"own_variants": "rows: binlog_format=row"}, None),
    ],
)
def test_the_form_says_why_an_own_transaction_is_not_crashed(server, changes, why):
    form = PlanForm(asked(server, trials="1", kinds=["process-kill"], own_load="on") | changes)
    assert form.is_valid(), form.errors
    found = list(problems(form.plan()))
    assert (not found) if why is None else any(why in one for one in found)
    quiet = PlanForm(asked(server, trials="0", kinds=["process-kill"], own_load="on") | changes | {"trials": "0"})
    assert quiet.is_valid() and not list(problems(quiet.plan()))
