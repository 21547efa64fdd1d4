"""A server's site: chosen, shown, and kept while something rests on it."""

import pytest

from dashboard.records.fleet.models import Worker
from dashboard.records.holds.models import PendingRestore
from dashboard.records.servers.models import Preflight, Server

SENTENCE = "No worker is alive on site west; start one there: manage.py worker --site west"
EDIT = {"name": "db", "host": "db.example.org", "port": 3306, "user": "bench", "tls": "preferred", "label": "test"}


def edit(client, server, **said):
    return client.post(f"/servers/{server.pk}/edit/", EDIT | said, follow=True).text


@pytest.mark.parametrize(("written", "stored"), [("", "local"), ("west", "west")])
def test_the_site_is_chosen_when_a_server_is_registered(client_in, db, written, stored):
    said = EDIT | {"password": "x", "site": written}
    assert client_in.post("/servers/register/", said).status_code == 302
    assert Server.objects.get().site == stored


def test_nonsense_is_refused(client_in, db):
    page = client_in.post("/servers/register/?kind=sandbox", {"name": "b", "build": "system-mariadb", "site": "A b"})
    assert "is not a site name" in page.text and not Server.objects.exists()


def test_known_sites_are_named(client_in, sandbox):
    Worker.objects.create(host="h", pid=1, site="north")
    Server.objects.update(site="west")
    assert "Known sites: local, north, west." in client_in.get("/servers/register/").text


def test_an_edit_that_names_no_site_leaves_it(client_in, server):
    Server.objects.update(site="west")
    edit(client_in, server, note="new")
    assert Server.objects.get().site == "west" and Server.objects.get().note == "new"


def test_the_site_of_a_server_with_a_pending_restore_does_not_change(client_in, server):
    PendingRestore.objects.create(server=server, kind="variable", name="sync_binlog", old="1")
    assert "The site of" in edit(client_in, server, site="west")
    assert Server.objects.get().site == "local"


def test_another_site_ends_the_mark_expendable(client_in, server):
    """Its commands would be run by another host."""
    Server.objects.update(expendable=True, crash_command=["x"], start_command=["y"])
    edit(client_in, server, site="west", password="given again")
    assert Server.objects.get().site == "west" and not Server.objects.get().expendable


def test_the_page_of_a_server_says_that_no_worker_reaches_its_site(client_in, server):
    Server.objects.update(site="west")
    Preflight.objects.create(server=server)
    shown = client_in.get(f"/servers/{server.pk}/").text
    assert shown.count(SENTENCE) == 2  # beside the site, and where the test waits
    Worker.objects.create(host="h", pid=1, site="west")
    assert SENTENCE not in client_in.get(f"/servers/{server.pk}/").text


def test_the_workers_page_names_sites_without_a_worker(client_in, server):
    Server.objects.update(site="west")
    assert SENTENCE in client_in.get("/workers/").text
    Worker.objects.create(host="h", pid=1, site="west", version="0.0.1")
    shown = client_in.get("/workers/").text
    assert SENTENCE not in shown and ">differs</span>" in shown and "none since its start" in shown
