"""Runs of any experiments side by side."""

import pytest
from django.http import QueryDict
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from dashboard.experiments.models import Run
from dashboard.results.comparison import MOST_RUNS, run_ids
from tests.unit.results import factory
from tests.unit.results.test_result_pages import obeys_the_policy


def ids(experiment, variant):
    runs = Run.objects.filter(cell__experiment=experiment, cell__variant=variant, cell__threads=8)
    return ",".join(str(run.pk) for run in runs)


def compare(client, *runs, **query):
    return client.get(reverse("results:compare"), {"runs": list(runs), **query})


@pytest.mark.django_db
def test_it_puts_points_of_two_experiments_side_by_side(client_in):
    old, new = factory.experiment(name="before"), factory.experiment({"1/1": 2000.0}, name="after")
    response = compare(client_in, ids(old, "1/1"), ids(new, "1/1"))
    first, second = response.context["columns"]
    assert (first["experiment"].name, second["experiment"].name) == ("before", "after")
    assert first["repeats"] == second["repeats"] == 2
    assert second["ratio"]["value"] == pytest.approx(2, rel=0.1)
    assert second["ratio"]["decision"] == "differs"
    assert response.context["unlike"] == []
    assert "same environment" in response.content.decode()
    assert obeys_the_policy(response)


@pytest.mark.django_db
def test_it_marks_unlike_environments_and_says_what_differs(client_in):
    old = factory.experiment(name="before")
    new = factory.experiment(environment={"kernel": "6.12.0", "innodb_io_capacity": "2000", "datadir": "/other"})
    response = compare(client_in, ids(old, "1/1"), ids(new, "1/1"))
    assert [name for name, _ in response.context["unlike"]] == ["kernel", "innodb_io_capacity"]
    assert "unlike environments" in response.content.decode()


@pytest.mark.django_db
def test_it_offers_points_and_keeps_the_choice_in_the_address(client_in):
    experiment = factory.experiment()
    chosen = ids(experiment, "1/1")
    response = compare(client_in, chosen, **{"from": experiment.pk})
    html = response.content.decode()
    assert f'<input type="hidden" name="runs" value="{chosen}">' in html
    assert [point["there"] for point in response.context["points"]].count(True) == 1
    assert "Add 0/0, 8 threads" in html


@pytest.mark.django_db
@pytest.mark.parametrize("runs", ["", "999999", "x';--", "1" * 40])
def test_it_takes_any_address(client_in, runs):
    response = compare(client_in, runs, **{"from": "12345678901234567890123"})
    assert response.status_code == 200
    assert "Nothing is compared yet" in response.content.decode()


@given(st.lists(st.text(), max_size=5))
def test_it_reads_only_numbers(texts):
    query = QueryDict(mutable=True)
    query.setlist("runs", texts)
    found = run_ids(query)
    assert len(found) == len(set(found)) <= MOST_RUNS
    assert all(0 <= one < 10**18 for one in found)
