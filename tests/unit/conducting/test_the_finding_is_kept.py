"""The sentence of an experiment that is over waits for a database that is away just then."""

import itertools

import pytest
from django.db import connection

from dashboard import retry
from dashboard.experiments.models import Experiment
from tests.unit.conducting.test_lost_connections import Losing
from tests.unit.results import factory
from workers.conducting.conduct import remember


@pytest.mark.django_db(transaction=True)
def test_it_is_worked_out_again_when_the_database_is_back(monkeypatch):
    monkeypatch.setattr(retry, "WAITS_S", (0.0, 0.0))
    experiment = factory.experiment(factory.VARIANTS)
    for number in itertools.count():
        Experiment.objects.update(finding="")
        with connection.execute_wrapper(losing := Losing(number)):
            remember(experiment)
        experiment.refresh_from_db()
        assert experiment.finding, number
        if not losing.happened:
            break
    assert number > 2
