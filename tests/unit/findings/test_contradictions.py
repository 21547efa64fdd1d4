"""Contradictions between sources, from stored runs to page and file."""

import pytest
from django.urls import reverse

from dashboard.findings.analysis import analysis_of
from dashboard.findings.conclusion import in_brief, summary
from dashboard.findings.document import everything
from dashboard.findings.shown import shown
from dashboard.records.experiments.models import Probe, Run
from dashboard.records.sharing.actions import share
from tests.unit.results import factory, trials

pytestmark = pytest.mark.django_db
STATUS = {"name": "redo_fsyncs", "source": "status:Innodb_os_log_fsyncs", "note": ""}


def experiment(per_commit):
    """1/1 flushes half a time per commit, as the trace saw it; the server counts `per_commit`."""
    made = factory.experiment(threads=(1, 8))
    for run in Run.objects.filter(cell__experiment=made, cell__variant="1/1"):
        run.figures = [*run.figures, {**STATUS, "value": per_commit * run.transactions}]
        run.save()
    return made


def told(made):
    points = analysis_of(made).points
    return {(one.variant, one.threads): [said.says for said in one.contradictions] for one in points}


def test_a_count_that_the_trace_did_not_see_is_on_the_page_behind_the_link_and_in_the_file(client, client_in):
    made = experiment(per_commit=1.2)
    says = "trace:redo_fsyncs saw 0.5 flushes of the redo log per commit, status:Innodb_os_log_fsyncs counted 1.2."
    assert {point for point, said in told(made).items() if said} == {("1/1", 1), ("1/1", 8)}
    assert told(made)["1/1", 1] == [says]
    _, token = share(None, made)
    for page in (
        client_in.get(reverse("results:page", args=[made.pk])),
        client.get(reverse("sharing:show", args=[token])),
    ):
        html = page.content.decode()
        assert "Some flushes may not have reached the disk" in html and "eatmydata" in html
        assert says in html and "At 1 more number of threads as well." in html
    assert {"files": "redo", "says": says} in everything(made)["analysis"]["points"][0]["contradictions"]
    chart = client_in.get(reverse("results:chart", args=[made.pk, "fsyncs", "json"])).json()
    assert any(says in str(row) for row in chart["table"]["rows"])


def test_sources_that_agree_are_not_told(client_in):
    made = experiment(per_commit=0.51)
    assert not any(told(made).values())
    assert "contradict" not in client_in.get(reverse("results:page", args=[made.pk])).content.decode()


def test_a_source_that_only_some_runs_have_tells_nothing():
    made = experiment(per_commit=1.2)
    for run in Run.objects.filter(cell__experiment=made, cell__repeat=1):
        run.figures = [one for one in run.figures if one["source"] != STATUS["source"]]
        run.save()
    assert not any(told(made).values())


@pytest.mark.parametrize(("where", "expected"), [("data", True), ("logs", False)])
def test_a_flush_is_held_against_the_device_that_the_logs_lie_on(where, expected):
    """0.3 ms a flush on a device of 5 ms; the logs may lie on another one."""
    made = factory.experiment(threads=(1,))
    slow = [{**one, "p50_ms": 5.0} for one in factory.probe()["flushes"]]
    logs = {"logs": {"holds": "logs", **factory.probe()}} if where == "logs" else {}
    Probe.objects.filter(experiment=made).update(data={"storage": "hdd", "flushes": slow, **logs})
    assert any(told(made).values()) == expected


DURABLE = {"innodb_flush_log_at_trx_commit": "1", "sync_binlog": "1"}


def probed(flush_ms, effective):
    """A commit of 1/1 takes 1 ms; 0/0 is faster than any flush."""
    made = trials.experiment({"1/1": {"power-loss": [(0, 0)] * 3}, "0/0": {"power-loss": [(9, 9)] * 3}}, threads=(1,))
    flushes = [{**one, "p50_ms": flush_ms} for one in factory.probe()["flushes"]]
    Probe.objects.filter(experiment=made).update(data={"storage": "hdd", "flushes": flushes})
    Run.objects.filter(cell__experiment=made).update(latencies=[])
    Run.objects.filter(cell__experiment=made, cell__variant="1/1").update(effective=effective)
    return made


@pytest.mark.parametrize(
    ("flush_ms", "effective", "expected"),
    [(3.2, DURABLE, True), (1.1, DURABLE, False), (3.2, {**DURABLE, "sync_binlog": "0"}, False)],
)
def test_beside_the_headline_stands_that_a_flush_takes_longer_than_a_commit_that_waits_for_it(
    client, client_in, flush_ms, effective, expected
):
    made = probed(flush_ms, effective)
    doubt = "The speed is in doubt: measurements contradict each other. 1/1, 1 thread: A commit waits for a flush"
    _, token = share(None, made)
    report = reverse("results:report", args=[made.pk])
    for reader, url in ((client_in, f"/results/{made.pk}/"), (client_in, report), (client, f"/share/{token}/")):
        header = reader.get(url).text.partition("</header>")[2].partition("</header>")[0]
        assert (doubt in header) == expected and "<h1>" in header
    assert (doubt in in_brief(made, shown(made))) == (doubt in "\n".join(summary(made))) == expected
    page = client_in.get(f"/results/{made.pk}/")
    assert ("Some flushes may not have reached the disk" in page.text) == expected, "the explanation follows"
    assert (doubt in page.context["markdown"]) == expected


def with_commits_of_the_server(made, times, workload="update_key"):
    """The server counts `times` the commits of the load: those of other clients too."""
    for run in Run.objects.filter(cell__experiment=made):
        counted = {"name": "commits", "source": "status:Com_commit", "note": "", "value": times * run.transactions}
        run.figures = [*run.figures, counted]
        run.save()
    made.plan["workloads"][0]["key"] = workload
    made.save()
    return made


@pytest.mark.parametrize(
    ("flush_ms", "times", "workload", "expected"),
    [
        (0.8, 10, "update_key", False),  # a commit of the load takes 1 ms
        (3.2, 10, "update_key", True),
        (3.2, 0.1, "update_key", True),
        (3.2, 1, "durable-once-a-second", False),  # counts updates
    ],
)
def test_commits_of_other_clients_do_not_shorten_a_commit_of_the_load(flush_ms, times, workload, expected):
    made = with_commits_of_the_server(probed(flush_ms, DURABLE), times, workload)
    said = told(made)["1/1", 1]
    assert [one.partition(" In the probe")[0] for one in said] == (
        ["A commit waits for a flush of the disk."] if expected else []
    )
    assert not expected or said[0].endswith("In the probe a flush took 3.2 ms, but a whole commit took 1 ms.")


def test_a_contradiction_at_another_number_of_threads_is_not_told_beside_the_headline(client_in):
    made = experiment(per_commit=1.2)
    for run in Run.objects.filter(cell__experiment=made, cell__variant="1/1", cell__threads=8):
        run.figures = [one for one in run.figures if one["source"] != STATUS["source"]]
        run.save()
    assert [one for one, said in told(made).items() if said] == [("1/1", 1)]
    assert client_in.get(f"/results/{made.pk}/").context["answer"].doubt == ""
    assert "1/1, 1 thread: " in client_in.get(f"/results/{made.pk}/?threads=0").context["answer"].doubt
