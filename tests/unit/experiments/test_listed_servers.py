"""Each list of experiments names the servers of each experiment."""

import pytest
from django.urls import reverse
from django.utils import timezone

from dashboard.records.experiments import queries
from dashboard.records.experiments.models import Experiment
from tests.unit.results import factory

pytestmark = pytest.mark.django_db


def test_the_list_names_all_servers_of_an_experiment(client_in):
    factory.experiment({"1/1": 1.0}, servers=[factory.server("orders"), factory.server("invoices")], measured=0)
    cell = client_in.get(reverse("experiments:list")).text.partition('<td data-label="Server">')[2]
    assert cell.startswith("orders, invoices</td>")


def test_a_deleted_experiment_keeps_its_servers(db):
    one = factory.experiment({"1/1": 1.0}, servers=[factory.server("orders")], measured=0)
    Experiment.objects.update(deleted_at=timezone.now())
    (shown,) = queries.with_progress(queries.deleted())
    assert (shown.pk, shown.servers) == (one.pk, ["orders"])
