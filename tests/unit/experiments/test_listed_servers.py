"""Each list of experiments names the servers of each experiment."""

import pytest
from django.urls import reverse
from django.utils import timezone

from dashboard.records.experiments import actions, queries, shelf
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


@pytest.mark.parametrize(
    ("name", "stored"), [("", "orders, invoices: what does safety cost?"), ("Before the update", "Before the update")]
)
def test_without_a_name_of_its_own_it_is_named_after_server_and_question(db, name, stored):
    recipe = next(one for one in shelf.shelf().recipes.values() if one.title == "What does safety cost?")
    boxes = [
        factory.server(box, kind="sandbox", build="system-mariadb", host="", user="") for box in ("orders", "invoices")
    ]
    plan = actions.plan_recipe(recipe, boxes, {"name": name} if name else {})
    experiment = actions.create(plan, None, recipe=recipe.key)
    assert experiment.name == stored
    assert experiment.plan["name"] == (name or recipe.title), "baselines are found by it"
