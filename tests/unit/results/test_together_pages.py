"""A load that came from several workers, as result pages tell it."""

from dataclasses import asdict

import pytest
from django.urls import reverse
from django.utils import timezone

from dashboard.findings.redact import redactor_of
from dashboard.records.experiments.models import Cell, Experiment, Part, Run
from dashboard.records.fleet.models import Worker
from tests.unit.bench.test_merge import part
from tests.unit.results import factory
from tests.unit.results.test_result_pages import text

pytestmark = pytest.mark.django_db


@pytest.fixture
def together():
    experiment = factory.experiment(threads=(8,), repeats=1)
    Experiment.objects.filter(pk=experiment.pk).update(plan=experiment.plan | {"load_workers": 2})
    Cell.objects.update(started_at=timezone.now())
    for cell in experiment.cells.all():
        for number, host in enumerate(("alpha", "beta")):
            done = part([1.0] * 50, tps=(25.0, 25.0), began_s=0.010 * number)
            Part.objects.create(
                cell=cell, attempt=cell.started_at, number=number, threads=4, request={}, sysbench="1.0.20",
                state="done", by=f"{host}:7", began_s=0.010 * number, trip_s=0.002, result=asdict(done.load),
            )  # fmt: skip
        columns = cell.run.series.columns
        cell.run.series.columns = columns | {"p95_ms": [None] * len(columns["tps"])}
        cell.run.series.save()
    return Experiment.objects.get(pk=experiment.pk)


def test_the_result_says_from_where_and_how_far_apart(client_in, together):
    page = text(client_in.get(reverse("results:page", args=[together.pk])))
    assert "2 workers at once (hosts alpha, beta), started within 12.0 ms of each other" in page


def test_a_cell_shows_each_part_and_the_common_window(client_in, together):
    page = text(client_in.get(reverse("results:cell", args=[Run.objects.first().cell_id])))
    assert "alpha:7" in page and "beta:7" in page and "started within 12.0 ms" in page
    assert "While all workers were loading: 50" in page


def test_a_load_from_one_worker_is_not_mentioned(client_in):
    experiment = factory.experiment()
    page = text(client_in.get(reverse("results:page", args=[experiment.pk])))
    assert "workers at once" not in page


def test_without_parts_only_the_number_is_known(client_in, together):
    Part.objects.all().delete()
    page = text(client_in.get(reverse("results:cell", args=[Run.objects.first().cell_id])))
    assert "Load from 2 workers at once" in page and "no figures of single workers" in page


def test_guests_learn_no_workers_name(together):
    Worker.objects.create(host="alpha", pid=7)
    assert redactor_of(together).text("Worker alpha:7 ended") == "Worker [host]:7 ended"
