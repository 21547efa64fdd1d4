"""What the palette finds: by name, a few of each kind, and nothing that is deleted."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from dashboard.pages.palette.views import MOST
from dashboard.records.experiments import search
from dashboard.records.experiments.models import Experiment
from dashboard.records.servers.models import Server
from dashboard.records.sharing import actions as sharing
from tests.unit.results import factory

pytestmark = pytest.mark.django_db


def named(*names):
    made = factory.experiment({"1/1": 1.0}, threads=(1,), repeats=1, measured=0, state="done", name=names[0])
    fields = {field.attname: getattr(made, field.attname) for field in Experiment._meta.fields if field.name != "id"}
    Experiment.objects.bulk_create(Experiment(**{**fields, "name": name}) for name in names[1:])


def find(client, words):
    answer = client.get("/find.json", {"words": words})
    assert answer.status_code == 200 and answer["Content-Type"] == "application/json"
    return answer.json()


def names(found):
    return [one["name"] for one in found]


def test_servers_and_experiments_are_found_by_each_word_of_their_name(client_in):
    factory.server("orders primary")
    named("Nightly ORDERS ÖL", "Nightly billing", "What does safety cost?")
    assert names(find(client_in, "orders primary")["servers"]) == ["orders primary"]
    found = find(client_in, "öl nightly")["experiments"]
    assert names(found) == ["Nightly ORDERS ÖL"] and found[0]["says"] == "finished"
    assert client_in.get(found[0]["to"]).status_code in (200, 302)
    assert find(client_in, "nothing like it") == {"servers": [], "experiments": []}


@pytest.mark.parametrize("words", ["", "   ", "%", "_", "\0"])
def test_no_words_and_signs_of_a_pattern_find_nothing(client_in, words):
    factory.server("db1")
    named("one")
    assert find(client_in, words) == {"servers": [], "experiments": []}


def test_a_few_of_each_kind_with_as_many_queries_however_many_there_are(client_in):
    counts = []
    for count in (1, 40):
        Server.objects.bulk_create(Server(name=f"db {count} {n}", kind="attached", host="h") for n in range(count))
        named(*(f"db {count} {n}" for n in range(count)))
        find(client_in, "db")
        with CaptureQueriesContext(connection) as asked:
            found = find(client_in, "db")
        counts.append(len(asked))
    assert len(found["servers"]) == len(found["experiments"]) == MOST
    assert counts[0] == counts[1]


def test_long_words_are_cut_and_old_names_are_left_to_the_search(client_in, monkeypatch):
    named("old")
    Experiment.objects.update(created_at=timezone.now() - timedelta(days=9))
    named("new", "newer")
    assert find(client_in, "x" * 100_000) == {"servers": [], "experiments": []}
    assert names(find(client_in, "old")["experiments"]) == ["old"]
    monkeypatch.setattr(search, "LATELY", 2)
    assert names(find(client_in, "old")["experiments"]) == []


def test_a_deleted_experiment_is_not_found(client_in):
    named("gone", "kept gone")
    Experiment.objects.filter(name="gone").update(deleted_at=timezone.now())
    assert names(find(client_in, "gone")["experiments"]) == ["kept gone"]


def test_a_name_is_told_as_text(client_in):
    named("<img src=x onerror=alert(1)>")
    assert names(find(client_in, "onerror")["experiments"]) == ["<img src=x onerror=alert(1)>"]


def test_guests_find_nothing_and_get_no_palette(client):
    factory.server("secret")
    named("shared")
    admin = User.objects.create_superuser("admin", password="a long test password")
    _, token = sharing.share(admin, Experiment.objects.get())
    page = client.get(f"/share/{token}/").content.decode()
    assert 'id="palette"' not in page and "site-nav" not in page and "site-tabs" not in page
    answer = client.get("/find.json", {"words": "secret"})
    assert answer.status_code == 302 and answer["Location"].startswith("/login/")
