"""The page of all claims: the newest finished experiment of each recipe, whatever came out, beside its sentence."""

import csv
import io
import re
from dataclasses import replace

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from dashboard.installation.home import PROJECT
from dashboard.pages.reproduction.published import ARTICLE_CLAIMS
from dashboard.pages.reproduction.statements import sections, statements
from dashboard.pages.reproduction.summary import Counts, counts, measured_between, of_the_articles, sentence
from dashboard.records.experiments import shelf
from dashboard.records.experiments.models import Experiment
from tests.unit.reproduction import asked
from tests.unit.results import factory
from workers.bench import recipes

PAGE = "/experiments/claims/"


def offered(monkeypatch, *of):
    monkeypatch.setattr(shelf, "shelf", lambda: recipes.Shelf({one.key: one for one in of}))


def text(response):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", response.content.decode()))


def by_sentence(*of):
    return {one.claim.says: one for section in sections(statements(of)) for one in section.statements}


def test_the_claims_of_the_document_are_read_with_the_titles_of_their_articles():
    written = re.findall(r"(?m)^\| ([A-Z]\d) \| (.+) \| [\w, ]+ \|$", (PROJECT / "docs/research/claims.md").read_text())
    assert [(claim.id, claim.says) for claim in ARTICLE_CLAIMS] == written
    assert len(written) == 19
    assert next(one.articles for one in ARTICLE_CLAIMS if one.id == "G3") == (
        "Fixing MySQL group commit, part 1 (K. Nielsen, 2010)",
        "Testing TokuDB's group commit algorithm improvement (2014)",
    )


def test_every_claim_is_measured_by_a_recipe():
    ids = {claim.id for recipe in recipes.shelf().recipes.values() for claim in recipe.claims}
    assert {claim.id for claim in ARTICLE_CLAIMS} <= ids


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (Counts(31, 4, 5), "31 of 40 statements held, 4 did not, 5 are not decidable."),
        (Counts(2, 0, 1, 1), "2 of 3 statements held, 1 is not decidable. 1 more was not measured yet."),
        (Counts(2), "2 of 2 statements held."),
        (Counts(unmeasured=7), "None of the 7 statements was measured here yet."),
    ],
)
def test_one_sentence_counts_the_claims_by_outcome(found, said):
    assert sentence(found) == said


@pytest.mark.parametrize(
    ("found", "look"),
    [
        (Counts(3), "held"),
        (Counts(3, unmeasured=1), "held"),
        (Counts(3, 0, 1), "unknown"),
        (Counts(3, 1, 1), "warned"),
        (Counts(unmeasured=1), "waiting"),
    ],
)
def test_a_claim_looks_held_only_where_all_that_was_measured_held(found, look):
    assert found.look == look


def test_before_anything_was_measured_it_leads_to_the_recipes(client_in):
    html = client_in.get(PAGE).content.decode()
    assert "statements was measured here yet." in html
    assert all(f'id="{claim.id}"' in html for claim in ARTICLE_CLAIMS)
    assert f'href="{reverse("experiments:new-from", args=["fifteen-years"])}"' in html


def test_a_viewer_sees_no_button_to_run_a_recipe(client, db):
    client.force_login(User.objects.create_user("a viewer", password="a long test password"))
    answer = client.get(PAGE)
    assert answer.status_code == 200
    assert "/experiments/new/" not in answer.content.decode()
    assert "not measured yet" in text(answer)


def test_each_claim_is_shown_with_article_measurement_outcome_and_server(client_in, monkeypatch):
    recipe = asked.recipe(*asked.EVERY, asked.BEYOND)
    made = asked.experiment(recipe, changed=["threads was changed"])
    made.plan["variants"][0] |= {"build": "mysql-5.5.9", "storage": "hdd-10k"}
    made.save()
    offered(monkeypatch, recipe)
    answer = client_in.get(PAGE)
    shown = text(answer)
    assert "1 of 3 statements held, 1 did not, 1 is not decidable." in shown
    assert "Measured 2026-03-01." in shown
    assert re.search(r"Far faster.*54 times.*\d\.\d+ times 5\.\d+ to 6\.\d+ not held", shown)
    assert "Why: Group commit came since." in shown
    assert "Never shown." not in shown
    assert "1024 threads: not part of this plan" in shown
    assert "mysql-5.5.9 on hdd-10k" in shown
    assert "The plan differs from the recipe: threads was changed." in shown
    assert "Statements of recipes that belong to no article" in shown
    assert f'href="/results/{made.pk}/"' in answer.content.decode()


def test_the_newest_counts_whatever_came_out(db):
    recipe = asked.recipe(asked.HELD)
    asked.experiment(recipe)
    assert by_sentence(recipe)["Unsafe is faster."].outcome == "held"
    asked.experiment(recipe, levels={"1/1": 1000.0, "0/0": 1000.0})
    found = by_sentence(recipe)["Unsafe is faster."]
    assert found.outcome == "not held"
    assert found.newest.finished == 2


@pytest.mark.parametrize("state", [state for state in Experiment.State if state != "done"])
def test_an_unfinished_experiment_does_not_answer_a_claim(db, state):
    recipe = asked.recipe(asked.HELD)
    asked.experiment(recipe, levels={"1/1": 1000.0, "0/0": 1000.0})
    unfinished = asked.experiment(recipe)
    Experiment.objects.filter(pk=unfinished.pk).update(state=state)
    assert by_sentence(recipe)["Unsafe is faster."].outcome == "not held"


def test_a_recipe_that_asks_something_else_by_now_was_not_measured(db):
    asked.experiment(asked.recipe(asked.HELD))
    other = replace(asked.HELD, bounds=asked.NOT_HELD.bounds)
    said = replace(asked.HELD, says="Told in other words.", article="fifty-four")
    assert by_sentence(asked.recipe(other))["Unsafe is faster."].outcome == "not measured yet"
    assert by_sentence(asked.recipe(said))["Told in other words."].outcome == "held"


def test_each_server_has_a_row(db):
    recipe = asked.recipe(asked.HELD)
    asked.experiment(recipe, servers=[factory.server("db1"), factory.server("db2")])
    found = [one for section in sections(statements([recipe])) for one in section.statements]
    assert [(one.server, one.outcome) for one in found] == [("db1", "held"), ("db2", "held")]


def test_when_it_was_measured_is_first_and_last_day(db):
    recipe, other = asked.recipe(asked.HELD), asked.recipe(asked.HELD, key="other")
    first, last = asked.experiment(recipe), asked.experiment(other)
    assert measured_between(of_the_articles(sections(statements([recipe, other])))) == [factory.STARTED]
    Experiment.objects.filter(pk=last.pk).update(ended_at=factory.STARTED.replace(day=3))
    days = [at.day for at in measured_between(of_the_articles(sections(statements([recipe, other]))))]
    assert days == [1, 3]
    assert first.ended_at.day == 1


def test_claims_beyond_the_articles_are_not_counted(db):
    recipe = asked.recipe(asked.HELD, asked.BEYOND)
    asked.experiment(recipe)
    assert counts(of_the_articles(sections(statements([recipe])))) == Counts(held=1)


def test_many_recipes_need_no_more_queries_than_one(client_in, monkeypatch, django_assert_max_num_queries):
    many = [asked.recipe(key=f"asked-{n}") for n in range(5)]
    for one in many:
        for _ in range(2):
            asked.experiment(one)
    offered(monkeypatch, *many)
    client_in.get(PAGE)  # outcomes that no end of an experiment left are worked out once
    with django_assert_max_num_queries(6) as known:
        client_in.get(PAGE)
    assert not [q["sql"] for q in known.captured_queries if "_series" in q["sql"] or "analysis" in q["sql"]]


def test_the_files_of_the_page_hold_raw_figures(client_in, monkeypatch):
    recipe = asked.recipe(*asked.EVERY, replace(asked.BEYOND, says="=1+1"))
    made = asked.experiment(recipe)
    offered(monkeypatch, recipe)
    rows = client_in.get(f"{PAGE}claims.json").json()["rows"]
    assert [row["outcome"] for row in rows] == ["held", "not held", "not decidable", "held"]
    assert rows[0]["95 % from"] < rows[0]["measured"] < rows[0]["95 % to"]
    assert (rows[0]["experiment"], rows[2]["measured"]) == (made.pk, None)
    table = list(csv.reader(io.StringIO(client_in.get(f"{PAGE}claims.csv").content.decode())))
    assert table[0] == list(rows[0])
    assert table[4][1] == "'=1+1"
    assert client_in.get(f"{PAGE}claims.xml").status_code == 404


@pytest.mark.parametrize("page", ["/", "/experiments/"])
def test_other_pages_link_to_the_claims_page(client_in, page):
    factory.server()
    assert f'href="{PAGE}"' in client_in.get(page).content.decode()
