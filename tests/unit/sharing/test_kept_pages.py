"""Shared pages that are kept: the same as made anew, for guests only, and not a moment longer than their link."""

import gzip
import threading
from itertools import product

import pytest
from django.contrib.auth.models import User
from django.core.cache import caches
from django.http import HttpResponse
from django.test import Client, RequestFactory

from dashboard.pages.results import views as results
from dashboard.pages.sharing import kept
from dashboard.records.experiments.models import Experiment
from dashboard.records.sharing import actions
from dashboard.records.sharing.models import ShareLink
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
    times, real = [], results.page
    monkeypatch.setattr(results, "page", lambda *a, **k: times.append(1) or real(*a, **k))
    return times


def test_a_shared_page_is_rendered_once_and_each_view_is_counted(shared, rendered, client):
    _, link, address = shared
    first, second = client.get(address), Client().get(address)
    assert first.status_code == 200 and first.content == second.content
    assert len(rendered) == 1
    assert ShareLink.objects.get(pk=link.pk).views == 2
    assert second["Referrer-Policy"] == "no-referrer" and second["X-Robots-Tag"] == "noindex, nofollow"
    assert "script-src" in second["Content-Security-Policy"]


def test_a_kept_page_needs_two_queries(shared, client, django_assert_num_queries):
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


def test_a_change_of_the_experiment_is_seen_at_once(shared, rendered, client):
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
def test_a_shared_page_is_made_again_after_a_while(shared, rendered, client, monkeypatch, state, after_s, times):
    """Sooner while the experiment goes on."""
    Experiment.objects.filter(pk=shared[0].pk).update(state=state)
    client.get(shared[2])
    later = kept.time.monotonic() + after_s
    monkeypatch.setattr(kept.time, "monotonic", lambda: later)
    client.get(shared[2])
    assert len(rendered) == times


def test_a_kept_page_is_gone_after_its_link_is_revoked(shared, client, admin):
    _, link, address = shared
    assert client.get(address).status_code == 200
    actions.revoke(admin, link)
    gone = client.get(address)
    assert gone.status_code == 410 and b"What safety costs" not in gone.content


def test_a_kept_page_is_gone_after_its_experiment_is_deleted(shared, client):
    assert client.get(shared[2]).status_code == 200
    Experiment.objects.filter(pk=shared[0].pk).update(deleted_at=factory.STARTED)
    assert client.get(shared[2]).status_code == 404


def test_somebody_with_a_session_neither_fills_nor_gets_it(shared, rendered, client, client_in):
    for _ in range(2):
        assert client_in.get(shared[2]).status_code == 200
    assert len(rendered) == 2
    client.get(shared[2])
    assert len(rendered) == 3


def test_a_message_for_one_is_not_kept_for_all(shared, rendered, client_in):
    """Who is told something, logs out and looks at a shared page without having read it."""
    client_in.post("/people/add/", {"name": "maria", "role": "viewer"})
    maria = User.objects.get(username="maria")
    client_in.post(f"/people/{maria.pk}/deactivate/")
    told = client_in.cookies["messages"].value
    guest = Client()
    guest.cookies["messages"] = told
    assert b"deactivated" in client_in.get(shared[2]).content, "the control: with a session it is shown"
    assert b"deactivated" not in guest.get(shared[2]).content
    assert b"deactivated" not in Client().get(shared[2]).content
    assert len(rendered) == 2


def test_a_query_that_no_page_knows_is_the_same_page(shared, rendered, client):
    unknown = {"x": "1"}, {"threads": "no"}, {"threads": "12345"}, {"": ""}, {"utm_source": "a"}, {"crash": "A B"}
    pages = [client.get(shared[2], query).content for query in unknown]
    assert set(pages) == {client.get(shared[2]).content}
    assert len(rendered) == 1


def test_the_order_of_a_query_makes_no_other_page(shared, rendered, client):
    for query in ("threads=1&workload=0", "workload=0&threads=1", "workload=0&threads=0&threads=1&y=2"):
        client.get(f"{shared[2]}?{query}")
    assert len(rendered) == 1


@pytest.mark.parametrize("cookie", ["sessionid=made-up", "messages=made-up", "csrftoken=x; anything=else"])
def test_a_cookie_alone_is_no_session(shared, rendered, client, cookie):
    client.get(shared[2])
    for n in range(3):
        assert Client(headers={"cookie": f"{cookie}{n}"}).get(shared[2]).status_code == 200
    assert len(rendered) == 1


def test_a_place_that_the_plan_does_not_have_is_the_same_page(shared, rendered, client):
    """No other page is made for it. For a place that the plan has, another page is made."""
    names, plain = ("workload", "baseline", "server", "threads", "mine", "variant"), client.get(shared[2])
    for name, place in product(names, (77, 9999)):
        assert client.get(shared[2], {name: place}).content == plain.content, (name, place)
    assert len(rendered) == 1
    for made, name in enumerate(names, start=2):
        client.get(shared[2], {name: 0})
        assert len(rendered) == made, name


@pytest.fixture
def now(monkeypatch):
    """Seconds, to set, for the limit."""
    seconds = [0.0]
    monkeypatch.setattr(kept, "clock", lambda: seconds[0])
    monkeypatch.setattr(kept, "A_MINUTE", 3)
    monkeypatch.setattr(kept, "OF_A_LINK", 2)
    return seconds


def test_pages_that_have_to_be_made_are_limited(shared, rendered, client, now):
    for place in range(3):
        assert client.get(shared[2], {"page": place}).status_code == 200
    busy = client.get(shared[2], {"page": 77})
    assert (busy.status_code, busy["Retry-After"]) == (429, "60") and b"Too many requests" in busy.content
    assert client.get(shared[2], {"page": 1}).status_code == 200, "what is kept is given to anybody"
    assert len(rendered) == 3
    now[0] += 60
    assert [client.get(shared[2], {"page": n}).status_code for n in range(77, 81)] == [200, 200, 200, 429]


def test_a_person_who_logged_in_is_not_limited(shared, client_in, now):
    assert {client_in.get(shared[2], {"page": n}).status_code for n in range(6)} == {200}


def test_an_older_page_is_better_than_none(shared, rendered, client, now, monkeypatch):
    first = client.get(shared[2], {"page": 0})
    for place in (1, 2):
        client.get(shared[2], {"page": place})
    later = kept.time.monotonic() + kept.KEPT_S + 1
    monkeypatch.setattr(kept.time, "monotonic", lambda: later)
    assert client.get(shared[2], {"page": 0}).content == first.content
    assert len(rendered) == 3


def test_a_link_and_an_address_have_a_limit_each(shared, now):
    _, token = actions.share(None, shared[0])
    guests = [Client(REMOTE_ADDR=f"192.0.2.{n}") for n in range(3)]
    for guest in guests[:2]:
        assert [guest.get(shared[2], {"page": guests.index(guest) * 10 + n}).status_code for n in range(4)] == [
            200,
            200,
            200,
            429,
        ]
    assert guests[2].get(shared[2], {"page": 77}).status_code == 429, "the link's: two addresses used it up"
    assert guests[0].get(f"/share/{token}/", {"page": 0}).status_code == 429, "the address's"
    assert guests[2].get(f"/share/{token}/", {"page": 0}).status_code == 200


def test_every_page_of_a_link_is_limited(shared, client, now):
    experiment, _, address = shared
    cell = experiment.cells.filter(state="done").first().pk
    pages = [f"{address}cells/{cell}/", f"{address}trials/", f"{address}charts/throughput.json", address]
    for query in ("", "?threads=0"):
        asked = [page + query for page in pages]
        assert [client.get(page).status_code for page in asked] == [200, 200, 200, 429]
        assert [client.get(page).status_code for page in asked] == [200, 200, 200, 429], "the first three are kept"


def test_many_requests_of_one_guest_do_not_block_a_link_for_others(shared, monkeypatch):
    """An address asks so many ever new queries in a minute as a link may have. Then the plain page is made anew."""
    seconds, rendered = [0.0], []
    monkeypatch.setattr(results, "page", lambda *_, **__: rendered.append(1) or HttpResponse("page"))
    monkeypatch.setattr(kept, "A_MINUTE", 20)
    monkeypatch.setattr(kept, "clock", lambda: seconds[0])
    monkeypatch.setattr(kept.time, "monotonic", lambda: seconds[0])
    monkeypatch.setattr(caches["shared-queries"], "_max_entries", 8)
    greedy, other = Client(REMOTE_ADDR="192.0.2.1"), Client(REMOTE_ADDR="192.0.2.2")
    refused = 0
    assert other.get(shared[2]).status_code == 200
    for n in range(kept.OF_A_LINK * kept.A_MINUTE):
        seconds[0] = n * 60 / (kept.OF_A_LINK * kept.A_MINUTE)
        answer = greedy.get(shared[2], {"page": n})
        refused += answer.status_code == 429
        if n % 20 == 19:
            before = len(rendered)
            assert other.get(shared[2]).status_code == 200
            assert len(rendered) == before, "it is still kept"
            assert other.get(shared[2], {"page": 7000 + n}).status_code == 200
    seconds[0] += kept.KEPT_S + 1
    codes = [greedy.get(f"{shared[2]}cells/{n + 10**6}/").status_code for n in range(kept.A_MINUTE + 2)]
    assert codes[0] == 404 and codes[-1] == 429, "the control: pages without a query are limited, too"
    assert other.get(shared[2]).status_code == 200
    assert refused > 70, "the control: the greedy one is limited"


def test_a_network_of_ipv6_counts_as_one_address(shared, now):
    codes = [Client(REMOTE_ADDR=f"2001:db8::{n}").get(shared[2], {"page": n}).status_code for n in range(1, 5)]
    assert codes == [200, 200, 200, 429]
    assert Client(REMOTE_ADDR="2001:db8:0:1::1").get(shared[2], {"page": 5}).status_code == 200


def test_pages_without_a_query_are_limited_where_nobody_knows_the_address(now):
    codes = [kept.may_make(1, "", has_query=False) for _ in range(7)]
    assert codes == [True] * 6 + [False] and kept.may_make(2, "", has_query=False)


def test_an_error_page_or_a_page_with_a_cookie_is_not_kept(shared):
    def with_cookie():
        response = HttpResponse("mine")
        response.set_cookie("csrftoken", "x")
        return response

    request = RequestFactory().get("/")
    kept.kept(request, shared[1], with_cookie)
    assert kept.kept(request, shared[1], lambda: HttpResponse("no", status=500)).status_code == 500
    assert kept.kept(request, shared[1], lambda: HttpResponse("ours")).content == b"ours"


def test_an_unchanged_kept_page_is_answered_with_304(shared, client):
    first = client.get(shared[2])
    again = client.get(shared[2], headers={"if-none-match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    other = client.get(shared[2], {"threads": "8"}, headers={"if-none-match": 'W/"another"'})
    assert other.status_code == 200
    assert "no-cache" in again["Cache-Control"], "asked for each time, so that an ended link is noticed"


def test_a_shared_page_is_compressed_for_clients_that_accept_gzip(shared, client):
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


def test_no_more_are_kept_than_there_is_room_for(shared, monkeypatch):
    pages = [caches["shared-pages"], caches["shared-queries"]]
    for one in pages:
        monkeypatch.setattr(one, "_max_entries", 20)
    for query in ("", "?threads=1"):
        for number in range(25):
            kept.kept(RequestFactory().get(f"/{number}/{query}"), shared[1], lambda: HttpResponse("x"))
    assert all(18 <= len(one._cache) <= 20 for one in pages)
