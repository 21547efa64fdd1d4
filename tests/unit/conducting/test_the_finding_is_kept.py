"""The sentence of an experiment that is over waits for a database that is away just then."""

import pytest
from django.db import OperationalError

from dashboard import retry
from dashboard.findings import conclusion
from tests.unit.results import factory
from workers.conducting import conduct


@pytest.mark.django_db(transaction=True)
def test_it_is_worked_out_again_when_the_database_is_back(monkeypatch):
    experiment = factory.experiment(factory.VARIANTS)
    remember, tried = conclusion.remember, []

    def away_at_first(one):
        tried.append(one.pk)
        if len(tried) == 1:
            raise OperationalError("couldn't get a connection after 10.00 sec")
        remember(one)

    monkeypatch.setattr(retry, "WAITS_S", (0.0, 0.0))
    monkeypatch.setattr(conclusion, "remember", away_at_first)
    conduct._remember(experiment)
    experiment.refresh_from_db()
    assert len(tried) == 2 and experiment.finding
