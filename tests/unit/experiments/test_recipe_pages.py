"""Planning from a recipe: its sizes and claims on the form, and what is kept of it with the experiment."""

from itertools import product

import pytest
from django.urls import reverse

from dashboard.pages.experiments.forms import PlanForm
from dashboard.records.experiments import actions
from dashboard.records.experiments.models import Experiment
from dashboard.records.fleet.models import Worker
from dashboard.records.servers.models import Server
from tests.markup import flat
from tests.walks import report
from workers.bench import recipes

pytestmark = pytest.mark.django_db


@pytest.fixture
def server(db):
    return Server.objects.create(name="Sandbox", kind="sandbox", build="system-mariadb")


@pytest.fixture
def own(settings, tmp_path):
    settings.RECIPES = tmp_path
    return tmp_path


def form_page(client, key="", **query):
    address = reverse("experiments:new-from", args=[key]) if key else reverse("experiments:new")
    return client.get(address, query).content.decode()


def sent(key, size="quick", **changes):
    return {"binlog": "keep", **PlanForm(recipe=key, size=size).initial, **changes}


def wrongly_filled(server, recipe, size):
    """How the form of a recipe, sent back as it is shown, differs from the recipe."""
    form = PlanForm(sent(recipe.key, size, servers=[server.pk]), recipe=recipe.key, size=size)
    if not form.is_valid():
        return form.errors.as_json()
    plan, meant = form.plan(), recipe.plan([], size=size)
    added = (plan.variants, plan.workloads) != (meant.variants, meant.workloads)
    return recipe.changes(plan, size) or ("other variants or workloads" if added else "")


def test_the_form_of_each_recipe_and_size_is_filled_with_that_recipe(server):
    offenders = []
    for recipe, size in product(recipes.shelf().recipes.values(), recipes.SIZES):
        if wrong := wrongly_filled(server, recipe, size):
            offenders.append(f"{recipe.key}, {size}: {wrong}")
    report(offenders)


def test_the_form_shows_sizes_and_claims(client_in, server):
    html = form_page(client_in, "group-commit", size="full")
    assert 'href="/experiments/new/group-commit/?size=quick"' in html
    assert 'aria-current="true">full, about' in flat(html)
    assert "Claims that it tests (4)" in html
    assert "three calls to fsync() are required instead of just one" in html
    assert 'value="1, 2, 4, 8, 16, 32, 64, 128, 256"' in html


def test_a_size_that_does_not_exist_is_the_quick_one(client_in, server):
    assert 'aria-current="true">quick, about' in flat(form_page(client_in, "group-commit", size="../../etc"))


def test_without_a_recipe_it_offers_them_all(client_in, server):
    html = form_page(client_in)
    assert all(f"/experiments/new/{key}/" in html for key in recipes.shelf().recipes)


def test_own_recipes_are_shown_and_a_broken_one_with_its_reason(client_in, server, own):
    good = (recipes.FOLDER / "group-commit.toml").read_text()
    (own / "mine.toml").write_text(good.replace("Does group commit work?", "My question <b>"))
    (own / "bad.toml").write_text("title = 1")
    html = form_page(client_in)
    assert "My question &lt;b&gt;" in html
    assert "your own" in html
    assert "bad.toml: title is 1. Write a text in quotes." in html


def test_the_experiment_keeps_recipe_size_and_claims(client_in, server, monkeypatch):
    monkeypatch.setattr(actions, "notify_workers", lambda experiment_id: None)
    address = reverse("experiments:new-from", args=["group-commit"]) + "?size=full"
    response = client_in.post(address, sent("group-commit", "full", servers=[server.pk], threads="1, 64"))
    assert response.status_code == 302, response.content.decode()
    made = Experiment.objects.get()
    assert (made.recipe, made.recipe_size) == ("group-commit", "full")
    assert made.claims["changed"] == ["Threads 1, 64 instead of 1, 2, 4, 8, 16, 32, 64, 128, 256"]
    assert [one["id"] for one in made.claims["claims"]] == ["G1", "G2", "G3", "G3"]


def test_a_plan_of_ones_own_keeps_none(client_in, server, monkeypatch):
    monkeypatch.setattr(actions, "notify_workers", lambda experiment_id: None)
    client_in.post(reverse("experiments:new"), sent("group-commit", servers=[server.pk]))
    made = Experiment.objects.get()
    assert (made.recipe, made.recipe_size, made.claims) == ("", "", {})


def test_a_recipe_that_changes_later_does_not_change_what_was_claimed(server, own):
    text = (recipes.FOLDER / "group-commit.toml").read_text()
    (own / "mine.toml").write_text(text)
    recipe = recipes.load("mine", own)
    made = actions.create(actions.plan_recipe(recipe, [server]), None, recipe="mine")
    (own / "mine.toml").write_text(text.replace("above = 10", "above = 1"))
    kept = Experiment.objects.get(pk=made.pk).claims["claims"]
    assert kept == [claim.as_dict() for claim in recipe.claims]


def test_the_form_says_what_to_install(client_in, server):
    """The review that the form asks for names each build that the workers lack."""
    Worker.objects.create(host="one", pid=1, abilities={"builds": {"system-mariadb": {}}, "crash_missing": {}})
    told = client_in.post(reverse("experiments:review"), sent("binlog-breaks-group-commit", servers=[server.pk])).json()
    assert any("manage.py build install mysql-5.5.9" in reason for reason in told["refusals"])


def test_a_recipe_that_does_not_exist_has_no_form(client_in):
    assert client_in.get(reverse("experiments:new-from", args=["no-such-recipe"])).status_code == 404
