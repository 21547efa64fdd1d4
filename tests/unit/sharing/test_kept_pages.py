"""Shared pages that are kept: the same as made anew, for guests only, and not a moment longer than their link."""

import gzip
import threading

import pytest
from django.http import HttpResponse
from django.test import Client, RequestFactory

from dashboard.experiments.models import Experiment
from dashboard.sharing import actions, kept
from dashboard.sharing.models import ShareLink
from tests.unit.results import factory

pytestmark = pytest.mark.django_db


@pytest.fixture
def shared():
    """(experiment, link, address)"""
    experiment = factory.experiment()
    link, token = actions.share(None, experiment)
    return experiment, link, f"/share/{token}/"


@pytest.fixture
def rendered(monkeypatch):
    """How often a result page was made."""
    from dashboard.results import views

    times, real = [], views.result_page
    monkeypatch.setattr(views, "result_page", lambda *a, **k: times.append(1) or real(*a, **k))
    return times


def test_it_is_made_once_and_counted_each_time(shared, rendered, client):
    _, link, address = shared
    first, second = client.get(address), Client().get(address)
    assert first.status_code == 200 and first.content == second.content
    assert len(rendered) == 1
    assert ShareLink.objects.get(pk=link.pk).views == 2
    assert second["Referrer-Policy"] == "no-referrer" and second["X-Robots-Tag"] == "noindex, nofollow"
    assert "script-src" in second["Content-Security-Policy"]


def test_it_asks_the_database_twice(shared, client, django_assert_num_queries):
    client.get(shared[2])
    with django_assert_num_queries(2):
        client.get(shared[2])


def test_another_query_host_or_link_is_another_page(shared, rendered, client):
    experiment, _, address = shared
    _, other = actions.share(None, experiment)
    answers = [
        client.get(address),
        client.get(address, {"threads": "1"}),
        client.get(address, headers={"host": "127.0.0.1"}),
        client.get(f"/share/{other}/"),
    ]
    assert len(rendered) == 4
    assert other not in answers[0].content.decode() and other in answers[3].content.decode()


def test_it_is_seen_when_the_experiment_changes(shared, rendered, client):
    client.get(shared[2])
    Experiment.objects.filter(pk=shared[0].pk).update(name="Another name")
    assert b"Another name" in client.get(shared[2]).content
    assert len(rendered) == 2


@pytest.mark.parametrize(
    ("state", "after_s", "times"),
    [
        ("done", kept.WHILE_MEASURING_S + 1, 1),
        ("done", kept.KEPT_S + 1, 2),
        ("running", kept.WHILE_MEASURING_S + 1, 2),
    ],
)
def test_it_is_made_again_after_a_while(shared, rendered, client, monkeypatch, state, after_s, times):
    """Sooner while the experiment goes on."""
    Experiment.objects.filter(pk=shared[0].pk).update(state=state)
    client.get(shared[2])
    later = kept.time.monotonic() + after_s
    monkeypatch.setattr(kept.time, "monotonic", lambda: later)
    client.get(shared[2])
    assert len(rendered) == times


def test_nothing_is_shown_after_the_end_of_its_link(shared, client, admin):
    _, link, address = shared
    assert client.get(address).status_code == 200
    actions.revoke(admin, link)
    gone = client.get(address)
    assert gone.status_code == 410 and b"What safety costs" not in gone.content


def test_nothing_is_shown_of_what_was_deleted(shared, client):
    assert client.get(shared[2]).status_code == 200
    Experiment.objects.filter(pk=shared[0].pk).update(deleted_at=factory.STARTED)
    assert client.get(shared[2]).status_code == 404


def test_somebody_with_a_session_neither_fills_nor_gets_it(shared, rendered, client, client_in):
    for _ in range(2):
        assert client_in.get(shared[2]).status_code == 200
    assert len(rendered) == 2
    client.get(shared[2])
    assert len(rendered) == 3


def test_a_message_for_one_is_not_kept_for_all(shared):
    request = RequestFactory().get("/", headers={"cookie": "messages=something"})
    answers = [kept.kept(request, shared[1], lambda: HttpResponse("for one")) for _ in range(2)]
    assert [answer.content for answer in answers] == [b"for one"] * 2
    assert not any(page.body == b"for one" for page in kept._pages.values())


def test_what_failed_or_sets_a_cookie_is_not_kept(shared):
    def with_cookie():
        response = HttpResponse("mine")
        response.set_cookie("csrftoken", "x")
        return response

    request = RequestFactory().get("/")
    kept.kept(request, shared[1], with_cookie)
    assert kept.kept(request, shared[1], lambda: HttpResponse("no", status=500)).status_code == 500
    assert kept.kept(request, shared[1], lambda: HttpResponse("ours")).content == b"ours"


def test_who_has_it_is_told_so(shared, client):
    first = client.get(shared[2])
    again = client.get(shared[2], headers={"if-none-match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    other = client.get(shared[2], {"threads": "8"}, headers={"if-none-match": 'W/"another"'})
    assert other.status_code == 200
    assert "no-cache" in again["Cache-Control"], "asked for each time, so that an ended link is noticed"


def test_it_is_packed_for_those_who_take_that(shared, client):
    plain = client.get(shared[2])
    packed = client.get(shared[2], headers={"accept-encoding": "gzip"})
    assert packed["Content-Encoding"] == "gzip" and gzip.decompress(packed.content) == plain.content
    assert "Content-Encoding" not in plain and "Accept-Encoding" in plain["Vary"]
    assert int(packed["Content-Length"]) == len(packed.content)


def test_of_many_at_once_one_has_it_made(shared):
    made, start = [], threading.Barrier(6)

    def render():
        made.append(1)
        return HttpResponse("page")

    def ask():
        start.wait(60)
        kept.kept(RequestFactory().get("/"), shared[1], render)

    threads = [threading.Thread(target=ask) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert made == [1]


def test_no_more_are_kept_than_there_is_room_for(shared):
    for number in range(kept.MOST + 5):
        kept.kept(RequestFactory().get("/", {"n": number}), shared[1], lambda: HttpResponse("x"))
    assert len(kept._pages) == kept.MOST
