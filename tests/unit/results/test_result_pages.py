"""Result pages: what they show, and that they keep the rules of the house."""

import json
import re

import pytest
from django.urls import reverse

from dashboard.records.experiments.models import Environment, Run
from tests.markup import flat
from tests.unit.results import factory

pytestmark = pytest.mark.django_db


def page(client, experiment, **query):
    return client.get(reverse("results:page", args=[experiment.pk]), query)


def part(client, experiment, key, **query):
    return client.get(reverse("results:part", args=[experiment.pk, key]), query)


def text(response):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", response.content.decode()))


def obeys_the_policy(response):
    html = response.content.decode()
    inline = [tag for tag in re.findall(r"<script[^>]*>", html) if "src=" not in tag]
    return all('type="application/json"' in tag for tag in inline) and not re.search(r"\sstyle=|<style|\son\w+=", html)


def test_a_result_page_begins_with_its_finding(client_in):
    response = page(client_in, factory.experiment())
    assert response.status_code == 200
    assert re.search(r"At \d threads? 0/0 is \d\.\d times as fast as 1/1 \(\d\.\d to \d\.\d\)\.", text(response))
    assert "a commit needs 0.50 redo log and 0.40 binary log fsyncs with 1/1" in text(response)
    assert obeys_the_policy(response)


def test_every_chart_is_there_with_its_table_and_files(client_in):
    one = factory.experiment()
    html = "".join((page(client_in, one).text, *(part(client_in, one, key).text for key in ("speed", "how-it-works"))))
    for key in ("throughput", "ratio", "latency-p50", "latency-p99", "fsyncs", "groups", "fsync-latency", "probe"):
        payload = json.loads(re.search(rf'<script id="chart-{key}" type="application/json">(.*?)</script>', html)[1])
        assert payload["series"], key
        assert f"charts/{key}.csv?" in html
        assert f"charts/{key}.json?" in html
    assert "trace:redo_fsyncs" in html


def test_the_seconds_are_loaded_only_on_demand(client_in):
    experiment = factory.experiment()
    html = flat(part(client_in, experiment, "speed", threads=0).text)
    source = re.search(r'data-chart="seconds" data-src="([^"]+)"', html)[1].replace("&amp;", "&")
    assert 'id="chart-seconds"' not in html
    chart = client_in.get(source).json()
    assert chart["title"] == "Second by second at 1 thread"
    assert [(one["name"], len(one["points"])) for one in chart["series"]] == [("1/1", 30), ("2/0", 30), ("0/0", 30)]


def test_series_and_evidence_are_not_read_once_the_analysis_is_made(client_in, django_assert_max_num_queries):
    experiment = factory.experiment()
    page(client_in, experiment)
    with django_assert_max_num_queries(13) as asked:
        page(client_in, experiment)
    assert not [q["sql"] for q in asked.captured_queries if "_series" in q["sql"] or "_evidence" in q["sql"]]


def test_a_result_page_says_which_figures_are_not_available(client_in):
    response = part(client_in, factory.experiment(figures=False), "how-it-works")
    assert "Fsyncs per commit are not available here" in response.content.decode()
    assert "this server is on another host" in response.content.decode()


def test_a_result_page_compares_with_the_chosen_baseline(client_in):
    response = part(client_in, factory.experiment(), "speed", baseline=2)
    assert "Throughput against 0/0" in response.content.decode()
    assert "Throughput against 1/1" not in response.content.decode()


def test_a_result_page_ignores_a_choice_that_the_plan_does_not_know(client_in):
    one, unknown = factory.experiment(), {"baseline": "<b>", "server": "x'", "workload": "99"}
    assert page(client_in, one, **unknown).status_code == 200
    response = part(client_in, one, "speed", **unknown)
    assert "Throughput against 1/1" in response.content.decode()


def test_servers_are_shown_side_by_side_or_one_alone(client_in):
    servers = [factory.server("alpha"), factory.server("beta", host="b")]
    experiment = factory.experiment(servers=servers, workloads=("one", "two"))
    both = page(client_in, experiment).content.decode()
    assert "1/1, alpha" in both and "1/1, beta" in both
    only = page(client_in, experiment, server=1, workload=1).content.decode()
    assert "1/1, alpha" not in only


def test_names_typed_by_people_are_escaped(client_in):
    levels = {"<script>alert(1)</script>": 100.0, "\"'&🐬": 200.0}
    response = page(client_in, factory.experiment(levels, name="<img src=x onerror=y>"))
    assert response.status_code == 200
    assert "<script>alert" not in response.content.decode()
    assert "<img src=x" not in response.content.decode()


@pytest.mark.parametrize("state", ["queued", "running", "failed", "cancelled"])
def test_an_experiment_without_runs_has_a_result_page(client_in, state):
    response = page(client_in, factory.experiment(measured=0, state=state))
    assert response.status_code == 200
    assert "Nothing" in response.context["finding"].sentence
    assert obeys_the_policy(response)


def test_the_page_of_a_measurement_shows_its_evidence(client_in):
    cell = factory.experiment().cells.first()
    response = client_in.get(reverse("results:cell", args=[cell.pk]))
    html = response.content.decode()
    assert "&#x27;--report interval=1&#x27;" in html  # quoted, ready for a shell
    assert "socket=/run/mysqld/secret.sock" in html
    assert "transactions: 100" in html
    assert "redo log fsyncs per commit" in html and "trace:redo_fsyncs" in html
    assert "innodb_io_capacity" in html and "overwrite" in html
    assert 'id="chart-seconds"' in html
    assert obeys_the_policy(response)


def test_a_cell_without_a_run_has_no_page(client_in):
    cell = factory.experiment(measured=0).cells.first()
    assert client_in.get(reverse("results:cell", args=[cell.pk])).status_code == 404


def test_a_result_page_needs_a_login(client):
    response = client.get(reverse("results:page", args=[factory.experiment().pk]))
    assert response.status_code == 302


def test_a_server_that_was_restarted_with_other_variables_is_listed_once(client_in):
    one = factory.experiment()
    two = factory.environment_row(innodb_log_file_buffering="ON")
    Run.objects.filter(pk=Run.objects.filter(cell__experiment=one).first().pk).update(environment=two)
    assert page(client_in, one).text.count("<dt>kernel</dt>") == 1
    other = factory.environment_row(kernel="6.12.0")
    Run.objects.filter(environment=two).update(environment=other)
    assert page(client_in, one).text.count("<dt>kernel</dt>") == 2


@pytest.mark.parametrize(
    ("buffered", "at_start", "told"), [("OFF", "1", True), ("ON", "1", False), ("ON", "2", False), ("OFF", "2", False)]
)
def test_a_server_that_got_2_late_is_slower_than_one_started_with_it(client_in, buffered, at_start, told):
    """Unless it was told how to write its redo log."""
    own = {"innodb_log_file_buffering": buffered, "innodb_flush_log_at_trx_commit": at_start}
    one = factory.experiment(environment=own)
    says = "innodb_flush_log_at_trx_commit=2 was set while MariaDB ran."
    assert says not in text(page(client_in, one)), "no variant has it"
    one.plan["variants"][1]["settings"] = {"innodb_flush_log_at_trx_commit": "2"}
    one.save()
    assert (says in text(page(client_in, one))) is told


@pytest.mark.parametrize(
    ("load", "cores", "told"), [(27.3, 2, True), (1.9, 2, False), (None, 2, False), (27.3, None, False)]
)
def test_a_host_that_was_busy_before_the_first_measurement_is_told(client_in, load, cores, told):
    """Later load averages hold the load of the experiment itself."""
    one = factory.experiment()
    Run.objects.update(load_average=40.0)
    Run.objects.filter(cell__position=0).update(load_average=load)
    for environment in Environment.objects.all():
        environment.data["host"]["cores"] = cores
        environment.save()
    page = client_in.get(reverse("results:page", args=[one.pk]))
    assert any("load average 27.3, 2 cores" in line for line in page.context["tested"]) is told
