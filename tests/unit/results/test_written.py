"""The estimate of what a load writes, from earlier measurements and without, and what was measured."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from dashboard.findings.conclusion import remember
from dashboard.findings.written import estimates, written_lines
from dashboard.pages.results.page import context
from dashboard.records.experiments.models import Experiment, Run
from dashboard.records.servers.models import Preflight
from dashboard.records.sharing import actions
from tests.own_transactions import EXAMPLE
from tests.unit.results import factory
from workers.bench.plan import Plan
from workers.bench.workloads import OWN

pytestmark = pytest.mark.django_db
MIB = 1 << 20


def measured(redo, binlog=0, **options):
    """An experiment of which every measurement wrote so many bytes a second, 30 s long."""
    experiment = factory.experiment(levels={"1/1": 1000.0}, **options)
    for run in Run.objects.filter(cell__experiment=experiment):
        figures = {"redo_bytes": redo * run.elapsed_s, "binlog_bytes": binlog * run.elapsed_s}
        run.figures = [{"name": name, "value": value, "source": "status:x"} for name, value in figures.items()]
        run.save()
    return experiment


def of(experiment, is_sandbox=False):
    plan = Plan.from_dict(experiment.plan)
    plan = replace(plan, targets=[replace(one, is_sandbox=is_sandbox) for one in plan.targets])
    return next(iter(estimates(plan, timezone.now()).values()), None)


def test_no_written_bytes_are_assumed_for_a_sandbox():
    """It has no disk that people share. With an earlier measurement there is something to say."""
    assert of(factory.experiment(levels={"1/1": 1000.0}, measured=0), is_sandbox=True) is None
    assert "estimated from 6 earlier measurements in sandboxes" in of(measured(MIB), is_sandbox=True).says


def test_without_an_earlier_measurement_the_assumption_is_named():
    said = of(factory.experiment(measured=0)).says
    assert "assumed: 100 to 10,000 commits per second of 1,000 to 20,000 bytes" in said


def test_the_range_spans_the_earlier_measurements_of_this_server():
    measured(2 * MIB, MIB), measured(5 * MIB)
    found = of(factory.experiment(levels={"1/1": 1000.0}, measured=0))
    tables = 10_000 * 1_000
    assert found.load_s == 6 * 31
    assert found.low.total == pytest.approx(3 * MIB * found.load_s + tables)
    assert found.high.total == pytest.approx(5 * MIB * found.load_s + tables)
    assert (found.low.binlog, found.high.binlog) == (2_500_000, pytest.approx(MIB * found.load_s + 2_500_000))
    assert "estimated from 12 earlier measurements of this server with 1 to 8 threads" in found.says
    assert "the measurements (3 min 6 s of load) will write" in found.says


def test_a_measurement_that_did_not_count_the_binary_log_tells_nothing():
    for run in Run.objects.filter(cell__experiment=(earlier := measured(MIB))):
        run.figures = run.figures[:1]
        run.save()
    assert "no earlier measurement" in of(factory.experiment(measured=0)).says
    assert written_lines(earlier) == []


def test_a_range_without_width_is_told_once():
    measured(MIB, MIB)
    said = of(factory.experiment(levels={"1/1": 1000.0}, measured=0)).says
    assert " of load) will write about 382 MiB" in said and "Binary log in it: about 188 MiB." in said


def test_more_threads_than_ever_measured_widen_the_range():
    measured(MIB)
    found = of(factory.experiment(levels={"1/1": 1000.0}, threads=(32,), measured=0))
    assert found.high.total - 10_000_000 == pytest.approx(4 * (found.low.total - 10_000_000))
    assert "scaled to 32 threads" in found.says


def test_measurements_of_other_servers_and_workloads_are_not_used():
    measured(MIB, servers=[factory.server("another")])
    measured(MIB, workloads=("insert",))
    assert "assumed" in of(factory.experiment(measured=0)).says


@pytest.mark.parametrize(
    ("free", "said"), [(1 << 40, "1.00 TiB of the server's disk is free."), (MIB, "That may not be enough.")]
)
def test_the_estimate_stands_beside_the_free_disk_space(free, said):
    experiment = measured(MIB)
    Preflight.objects.create(server=factory.server(), state="done", facts={"free_bytes": free})
    assert of(experiment).says.endswith(said)


def test_the_page_holds_the_estimate_beside_the_measurement(client_in):
    earlier = measured(MIB)
    Run.objects.filter(cell__experiment=earlier).update(started_at=timezone.now() - timedelta(days=2))
    after = measured(2 * MIB)
    Experiment.objects.filter(pk=after.pk).update(created_at=timezone.now() - timedelta(days=1))
    Run.objects.filter(cell__experiment=after).update(started_at=timezone.now())
    after.refresh_from_db()
    remember(after)
    (said,) = after.written
    assert "estimated from 6 earlier measurements" in said
    assert said.endswith("Measured: 360 MiB, 0 B of it binary log, in 3 min without warm-up.")
    assert "Measured: 360 MiB" in client_in.get(reverse("results:page", args=[after.pk])).text


def own(file, title="Place an order", **options):
    """The experiment measures this file instead of its workload."""
    experiment = measured(MIB, workloads=(title,), **options)
    experiment.plan["workloads"] = [{"label": title, "key": OWN, "params": {"file": file}}]
    experiment.save()
    return experiment


def test_an_own_transaction_is_estimated_only_from_the_very_same_file():
    other = EXAMPLE.replace("rows = 1000\n", "rows = 900000\n")
    assert "not estimated: this server has no earlier measurement of this file" in of(own(EXAMPLE, measured=0)).says
    own(other)
    assert "not estimated" in of(own(EXAMPLE, measured=0)).says
    found = of(own(other, measured=0))
    assert "estimated from 6 earlier measurements" in found.says
    assert found.low.total == pytest.approx(MIB * found.load_s + 6 * 900_000 * 1_000)  # filled before each of six


def test_a_workload_is_not_estimated_from_an_own_transaction_with_its_name():
    own(EXAMPLE, title="update by key")
    assert "assumed" in of(factory.experiment(levels={"1/1": 1000.0}, measured=0)).says


def test_guests_see_the_statements_of_an_own_transaction_not_its_file(client_in, client):
    experiment = own("# sekrit comment\n" + EXAMPLE.replace("apple", "sekrit apple"))
    assert "sekrit comment" in client_in.get(reverse("results:page", args=[experiment.pk])).text
    guests = client.get(f"/share/{actions.share(None, experiment)[1]}/").text
    assert "The statements of the own transaction" in guests and "UPDATE `orders`" in guests and "sekrit" not in guests
    experiment.plan["workloads"][0]["params"]["file"] = "# sekrit and not read any more"
    assert "not shown" in context(experiment, {}, "a" * 32)["own_transaction"]


def test_a_result_says_first_that_its_load_is_an_own_transaction():
    experiment = own(EXAMPLE)
    assert [*context(experiment, {})["tested"]][-1] == "The load is an own transaction (Place an order)"
    assert [*context(experiment, {}, "a" * 32)["tested"]][-1] == "The load is an own transaction"
    assert not any("own transaction" in line for line in context(factory.experiment(), {})["tested"])
