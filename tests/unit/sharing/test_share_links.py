"""Links: made, opened by anyone, expired, revoked."""

import hashlib
import re
from datetime import timedelta

import pytest
from django.http import HttpResponse
from django.utils import timezone

from dashboard.pages.results import views as results
from dashboard.records.audit.models import Event
from dashboard.records.experiments.models import Experiment
from dashboard.records.sharing import actions
from dashboard.records.sharing.models import ShareLink


@pytest.fixture
def experiment(db):
    return Experiment.objects.create(name="cost <b>", plan={}, seed=1, state="done")


@pytest.fixture(autouse=True)
def shown(monkeypatch):
    """Stands for the result page: what it was asked to show."""
    asked = []

    def page(request, experiment_id, token=""):
        asked.append((experiment_id, token))
        return HttpResponse("the result")

    monkeypatch.setattr(results, "page", page)
    return asked


def make(client, experiment, **said):
    answer = client.post(f"/share/experiments/{experiment.pk}/create/", said)
    found = re.search(r"http://testserver(/share/[\w-]{32}/)", answer.content.decode())
    return answer, found and found[1]


def test_a_link_needs_no_login(client_in, client, experiment, shown, django_user_model):
    answer, path = make(client_in, experiment, days="7", note="for <Ada>")
    assert answer["Cache-Control"] == "no-store"
    client.logout()
    opened = client.get(path)
    assert opened.content == b"the result"
    assert shown == [(experiment.pk, path.split("/")[2])]


def test_a_link_is_told_to_no_other_site_and_no_search_engine(client, experiment):
    _, token = actions.share(None, experiment)
    for path in (f"/share/{token}/", "/share/" + "x" * 32 + "/"):
        answer = client.get(path)
        assert answer["Referrer-Policy"] == "no-referrer"
        assert "noindex" in answer["X-Robots-Tag"]
        assert "private" in answer["Cache-Control"]


def test_only_the_hash_of_a_token_is_stored_and_no_token_comes_twice(experiment):
    (link, token), (_, other) = actions.share(None, experiment), actions.share(None, experiment)
    assert link.token_hash == hashlib.sha256(token.encode()).hexdigest()
    assert token != other and len(token) == 32
    kept = str(list(ShareLink.objects.values())) + str(list(Event.objects.values()))
    assert token not in kept


def test_the_address_of_a_link_is_shown_once(client_in, experiment):
    _, path = make(client_in, experiment)
    later = client_in.get(f"/share/experiments/{experiment.pk}/").content.decode()
    assert path.split("/")[2] not in later
    assert "cost &lt;b&gt;" in later


def test_the_popover_gets_the_address_alone_and_no_store_keeps_it(client_in, client, experiment, shown):
    path = f"/share/experiments/{experiment.pk}/create/"
    made = client_in.post(path, {"days": "30"}, headers={"Accept": "application/json"})
    assert (made["Content-Type"], made["Cache-Control"]) == ("application/json", "no-store")
    assert list(made.json()) == ["address"] and client.get(made.json()["address"]).status_code == 200
    assert round((ShareLink.objects.get().expires_at - timezone.now()).total_seconds() / 86400) == 30
    client.logout()
    assert client.post(path, {"days": "30"}, headers={"Accept": "application/json"}).status_code == 302
    assert ShareLink.objects.count() == 1


@pytest.mark.parametrize("days", ["", "1", "7", "30", "90"])
def test_a_link_expires_after_the_chosen_days(client_in, experiment, days):
    make(client_in, experiment, days=days)
    link = ShareLink.objects.get()
    if not days:
        assert link.expires_at is None
    else:
        assert abs(link.expires_at - timezone.now() - timedelta(days=int(days))) < timedelta(minutes=1)


@pytest.mark.parametrize("said", [{"days": "-1"}, {"days": "x"}, {"note": "x" * 201}])
def test_a_bad_form_makes_no_link(client_in, experiment, said):
    answer, path = make(client_in, experiment, **said)
    assert (answer.status_code, path) == (200, None)
    assert not ShareLink.objects.exists()


def test_an_expired_or_revoked_link_says_so(client, experiment, admin, shown):
    link, token = actions.share(admin, experiment, days=1)
    ShareLink.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    answer = client.get(f"/share/{token}/")
    assert answer.status_code == 410 and b"has expired" in answer.content
    actions.revoke(admin, link)
    answer = client.get(f"/share/{token}/")
    assert answer.status_code == 410 and b"was revoked" in answer.content
    assert b"cost" not in answer.content and not shown
    assert client.get(f"/share/{token}/charts/throughput.json").status_code == 410


def test_another_token_opens_nothing(client, experiment, shown):
    _, token = actions.share(None, experiment)
    for wrong in ("x" * 32, token[:-1] + ("a" if token[-1] != "a" else "b"), token.swapcase()):
        assert client.get(f"/share/{wrong}/").status_code == 404
    for malformed in (token[:-1], token + "x", "..", "%00"):
        assert client.get(f"/share/{malformed}/").status_code in (302, 404)
    assert not shown


def test_a_link_is_read_only(client, experiment):
    _, token = actions.share(None, experiment)
    assert client.post(f"/share/{token}/").status_code == 405


def test_a_link_costs_two_queries_beside_the_page(client, experiment, django_assert_num_queries):
    """The link, and the count of views."""
    _, token = actions.share(None, experiment)
    with django_assert_num_queries(2):
        client.get(f"/share/{token}/")


def test_a_link_is_revoked_by_post_and_once(client_in, client, experiment):
    link, token = actions.share(None, experiment)
    assert client_in.get(f"/share/links/{link.pk}/revoke/").status_code == 405
    for _ in range(2):
        client_in.post(f"/share/links/{link.pk}/revoke/")
    assert client.get(f"/share/{token}/").status_code == 410
    assert Event.objects.filter(did="revoked").count() == 1


def test_a_new_link_is_in_the_audit_log(client_in, experiment, admin):
    make(client_in, experiment, days="7")
    event = Event.objects.get(did="shared")
    assert (event.who, event.what, event.detail["days"]) == (admin, "cost <b>", 7)


def test_links_are_listed_with_their_state(client_in, experiment, admin):
    for days, over, revoked in ((None, False, False), (7, True, False), (None, False, True)):
        link, _ = actions.share(admin, experiment, days, note="note <i>")
        if over:
            ShareLink.objects.filter(pk=link.pk).update(expires_at=timezone.now())
        if revoked:
            actions.revoke(admin, link)
    shown = client_in.get(f"/share/experiments/{experiment.pk}/").content.decode()
    for state in ("for ever", "expired", "revoked", "note &lt;i&gt;"):
        assert state in shown
    assert shown.count("data-confirm=") == 1
