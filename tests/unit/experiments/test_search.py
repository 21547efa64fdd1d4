"""The list narrowed: by words of any kind, by what is chosen; the address holds all of it, bad ones are refused."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from dashboard.findings import conclusion
from dashboard.pages.experiments.list_page import PER_PAGE
from dashboard.records.accounts.role import Role
from dashboard.records.experiments import care, search
from dashboard.records.experiments.models import Experiment, Words
from tests.examples import tried
from tests.unit.api.tokens import somebody
from tests.unit.results import factory, trials
from tests.walks import report

pytestmark = pytest.mark.django_db
LIST = "/experiments/"


@pytest.fixture
def shelf(db):
    """Three experiments that differ in everything."""
    box = factory.server("box", kind="sandbox", host="", user="", build="mariadb-10.11")
    one = factory.experiment(servers=[box], name="Größe des Puffers", levels={"1/1": 100.0, "2/0": 200.0})
    two = factory.experiment(servers=[factory.server("db7")], name="Group commit", workloads=("insert ten rows",))
    three = trials.experiment(servers=[factory.server("db9")], name="After 50 % of crashes")
    Experiment.objects.filter(pk=two.pk).update(recipe="group-commit", state="failed")
    for made in (one, two):
        made.refresh_from_db()
        conclusion.remember(made)
    care.tag(None, two, ["nightly", "größe"])
    return {"one": one, "two": two, "three": three}


def names(shelf, **asked):
    known = {made.pk: name for name, made in shelf.items()}
    return [known[row.pk] for row in search.found(asked, None)]


WORDS = {
    "puffers": ["one"],
    "GRÖSSE des": ["one"],  # ß and ss are the same without regard to case
    "größe": ["two", "one"],  # a name, and a tag
    "night": ["two"],
    "mariadb-10": ["one"],  # of the sandbox's build
    "db9": ["three"],
    "group-commit": ["two"],  # the recipe
    "insert ten": ["two"],  # a workload
    "ten insert": ["two"],  # in any order
    "group db9": [],  # all of them must be found
    "50 %": ["three"],
    "\\": [],
    "'; drop table": [],
    "   ": ["three", "two", "one"],
}


def test_words_are_found_in_every_text_of_an_experiment(shelf):
    found = {words: names(shelf, words=words) for words in WORDS}
    report(
        f"{words!r}: {found[words]}, not {expected}" for words, expected in WORDS.items() if found[words] != expected
    )


def test_signs_are_no_wild_cards(shelf):
    known = {name: Words.objects.get(experiment=one).text for name, one in shelf.items()}
    for sign in ("%", "_", "2/0", "1"):
        assert names(shelf, words=sign) == [name for name in ("three", "two", "one") if sign in known[name]], sign


def test_a_finding_is_found(shelf):
    finding = Experiment.objects.get(pk=shelf["one"].pk).finding
    assert finding and "one" in names(shelf, words=finding)


def test_a_server_is_found_by_the_name_that_it_has_now(shelf):
    server = shelf["two"].cells.first().server
    server.name = "moved to rack 9"
    server.save()
    assert names(shelf, words="rack 9") == ["two"] and names(shelf, words="db7") == ["two"]


def test_choices_narrow(shelf, admin):
    Experiment.objects.filter(pk=shelf["one"].pk).update(created_by=admin)
    servers = {name: made.trials.first() or made.cells.first() for name, made in shelf.items()}
    assert names(shelf, state="failed") == names(shelf, recipe="group-commit") == names(shelf, tag="NIGHTLY") == ["two"]
    assert all(names(shelf, server=row.server_id) == [name] for name, row in servers.items())
    assert [row.pk for row in search.found({"mine": True}, admin)] == [shelf["one"].pk]
    assert names(shelf, state="failed", words="puffers") == names(shelf, tag="no such") == []
    care.delete(None, shelf["one"])
    assert names(shelf, deleted=True) == ["one"] == names(shelf, deleted=True, words="puffers")
    assert names(shelf) == ["three", "two"] and names(shelf, words="puffers") == []


def test_the_page_says_what_narrows_it(client_in, shelf):
    page = client_in.get(LIST, {"words": "group", "state": "failed", "tag": "nightly", "page": "1"}).text
    assert "1 experiment, narrowed by" in page and "Group commit" in page and "After 50" not in page
    assert 'href="?words=group&amp;tag=nightly"' in page  # without the state
    assert '<option value="failed" selected>' in page and 'value="group"' in page
    assert "narrowed by" not in client_in.get(LIST).text


def test_a_search_without_matches_says_so_and_escapes_the_words(client_in, shelf):
    page = client_in.get(LIST, {"words": "no such thing <script>"}).text
    assert (
        "No experiment matches" in page and "Show all" in page and "<script>x" not in page and "&lt;script&gt;" in page
    )


def test_a_choice_that_does_not_exist_is_refused(client_in, shelf):
    for wrong in ({"state": "odd"}, {"server": "x"}, {"server": "9" * 30}, {"recipe": "?"}, {"words": "x" * 201}):
        answer = client_in.get(LIST, wrong)
        assert answer.status_code == 422, wrong
        assert "Nothing is listed" in answer.text and "Group commit" not in answer.text, wrong


def test_more_than_a_page(client_in, db):
    for n in range(PER_PAGE + 1):
        Experiment.objects.create(name=f"number {n}", plan={"targets": []}, seed=1)
    page = client_in.get(LIST, {"words": "number", "undo": "1"}).text
    assert "?words=number&amp;page=2" in page and "page 1 of 2" in page
    assert "number 0<" in client_in.get(LIST, {"words": "number", "page": "2"}).text


def test_the_list_asks_the_same_however_long_it_is(client_in, db):
    def asked():
        with CaptureQueriesContext(
            connection,
        ) as caught:
            assert client_in.get(LIST).status_code == 200
        return len(caught)

    for n in range(3):
        care.tag(None, factory.experiment(name=f"number {n}", measured=0), ["nightly", f"tag {n}"])
    few = asked()
    for n in range(12):
        care.tag(None, factory.experiment(name=f"number {n}", measured=0), ["nightly", f"tag {n}"])
    assert asked() == few <= 15


@pytest.mark.skipif(connection.vendor != "sqlite", reason="the plan is SQLite's")
def test_the_list_is_read_in_the_order_of_an_index(shelf):
    """Nothing is sorted, and no row is read that is not shown."""
    for asked in ({}, {"state": "done"}, {"recipe": "group-commit"}):
        plan = search.found(asked, None).ids[:50].explain()
        assert "INDEX experiments_" in plan.splitlines()[0] and "TEMP B-TREE" not in plan.split("CORRELATED")[0], plan


@settings(max_examples=tried(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=220), st.text(max_size=30), st.text(max_size=30))
@example("a\0b \0", "\0", "\0")  # PostgreSQL refuses to look for a NUL
def test_anything_in_the_address_is_answered(client_in, words, state, server):
    answer = client_in.get(
        reverse("experiments:list"), {"words": words, "state": state, "server": server, "tag": words}
    )
    assert answer.status_code in (200, 422)


def test_a_viewer_narrows_too(client, shelf):
    client.force_login(somebody(Role.VIEWER))
    assert "Group commit" in client.get(LIST, {"tag": "nightly"}).text
