"""The sentence of an experiment that is over waits for a database that is away just then."""

import pytest
from django.db import connection

from dashboard.installation import retry
from tests.unit.conducting.test_lost_connections import Losing
from tests.unit.results import factory
from workers.conducting.conduct import remember


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("number", [0, 1, 4])
def test_the_finding_is_computed_again_when_the_database_is_back(monkeypatch, number):
    monkeypatch.setattr(retry, "WAITS_S", (0.0, 0.0))
    experiment = factory.experiment(factory.VARIANTS)
    with connection.execute_wrapper(losing := Losing(number)):
        remember(experiment)
    experiment.refresh_from_db()
    assert experiment.finding and losing.happened
