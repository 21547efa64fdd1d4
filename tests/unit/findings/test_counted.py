"""Pages do not call updates commits."""

from dataclasses import replace

import pytest

from dashboard.findings import per_commit
from dashboard.findings.counted import counted
from dashboard.findings.point import RunFigure, RunFigures
from dashboard.findings.points import points
from tests.unit.results import factory
from workers.bench.plan import WorkloadChoice

COUNTS = {"update-by-key": "commits", "durable-once-a-second": "updates", "insert-ignore": "inserts tried"}
WORKLOADS = tuple(WorkloadChoice(key, key, {}) for key in COUNTS)


@pytest.mark.parametrize(("label", "what"), [*COUNTS.items(), ("gone", "commits")])
def test_each_workload_counts_commits_or_updates(label, what):
    assert counted(replace(factory.plan([]), workloads=WORKLOADS), label) == what


@pytest.mark.django_db
@pytest.mark.parametrize("key", COUNTS)
def test_a_page_names_it(client_in, key):
    experiment = factory.experiment({"1/1": 1000.0})
    experiment.plan["workloads"][0]["key"] = key
    experiment.save()
    pages = [f"/results/{experiment.pk}/", f"/results/cells/{experiment.cells.first().pk}/"]
    html = "".join(client_in.get(page).content.decode() for page in pages).lower()
    assert [what for what in COUNTS.values() if f"{what} per second" in html] == [COUNTS[key]]


UPDATES = RunFigures(1000, "updates", (RunFigure("redo_fsyncs", 5, "t"),))
COMMITS = RunFigure("commits", 10, "status:x")


def test_updates_have_no_fsyncs_per_commit():
    assert per_commit.fsyncs_per_commit([replace(UPDATES, counts="commits")])["redo"].value == 0.005
    assert per_commit.fsyncs_per_commit([UPDATES]) == {}
    assert per_commit.missing([UPDATES]) == [
        "per commit: sysbench counts updates here, and the server counts no commits"
    ]
    counted_by_the_server = replace(UPDATES, figures=(*UPDATES.figures, COMMITS))
    assert per_commit.fsyncs_per_commit([counted_by_the_server])["redo"].value == 0.5
    assert per_commit.missing([counted_by_the_server]) == []


@pytest.mark.django_db
def test_a_point_knows_what_it_counts():
    experiment = factory.experiment({"1/1": 1000.0}, figures=False)
    assert {run.counts for point in points(experiment) for run in point.runs} == {"commits"}
    experiment.plan["workloads"][0]["key"] = "durable-once-a-second"
    experiment.save()
    assert {run.counts for point in points(experiment) for run in point.runs} == {"updates"}
