"""Folded parts of a result page: the page has their headings, and each part has an address of its own."""

import re

import pytest
from django.test import Client

from dashboard.charts.registry import DETAILS, EXPLAINING, MODELS
from dashboard.pages.results.parts import PARTS
from dashboard.records.sharing import actions
from tests.markup import flat
from tests.unit.results import factory, trials

pytestmark = pytest.mark.django_db
LINK = re.compile(r'<details class="part" data-part="([^"]+)"><summary><h3>([^<]+)</h3></summary><p><a href="([^"]+)">')
CHART = re.compile(r'data-chart="([^"]+)"')


def links(html):
    """(Title, address) of each; the link of a reader without scripts leads to where the script reads."""
    found = LINK.findall(flat(html))
    assert all(read == link for read, _, link in found)
    return [(title, read.replace("&amp;", "&")) for read, title, _ in found]


def test_the_page_has_only_their_headings_and_addresses(client_in):
    one = factory.experiment()
    html = client_in.get(f"/results/{one.pk}/").text
    known = links(html)
    assert [title for title, _ in known] == [part.title for part in PARTS.values()]
    assert not {*DETAILS, *EXPLAINING, *MODELS} & {*CHART.findall(html)}
    speed, how_it_works = (client_in.get(address) for _, address in known)
    assert CHART.findall(speed.text) == [*DETAILS]
    assert CHART.findall(how_it_works.text)[: len(EXPLAINING)] == [*EXPLAINING]
    assert "The server's host during the load" in speed.text and 'aria-label="Group commit"' in how_it_works.text


def test_a_part_follows_the_choice_of_the_page(client_in):
    one = factory.experiment(servers=[factory.server("alpha"), factory.server("beta", host="b")])
    for query, threads, names in (({}, "8 threads", True), ({"threads": 0, "server": 1}, "1 thread", False)):
        _, address = links(client_in.get(f"/results/{one.pk}/", query).text)[0]
        part = client_in.get(address).text
        assert f"Second by second at {threads}" in part and ("1/1, alpha" in part) == names


def test_other_addresses_are_not_found(client_in, client):
    one = factory.experiment()
    for path in (f"/results/{one.pk}/parts/risk/", f"/results/{one.pk + 1}/parts/speed/"):
        assert client_in.get(path).status_code == 404
    assert Client().get(f"/results/{one.pk}/parts/speed/").status_code == 302


def test_a_guest_reads_the_parts_behind_the_link_with_neutral_names(client):
    one = factory.experiment(servers=[factory.server("alpha"), factory.server("beta", host="b")])
    _, token = actions.share(None, one)
    known = links(client.get(f"/share/{token}/", {"threads": 0}).text)
    assert len(known) == len(PARTS)
    for _, address in known:
        assert address.startswith(f"/share/{token}/parts/")
        part = client.get(address)
        assert part.status_code == 200 and "1/1, Server A" in part.text and "alpha" not in part.text
        assert f'href="/share/{token}/?' in part.text and "/results/" not in part.text
        assert part["Referrer-Policy"] == "no-referrer"
    assert "Second by second at 1 thread" in client.get(known[0][1]).text
    assert client.get(f"/share/{token}/parts/risk/").status_code == 404
    assert client.get(f"/share/{'x' * 32}/parts/speed/").status_code == 404


def test_a_closed_link_opens_no_part(client, admin):
    link, token = actions.share(None, factory.experiment())
    actions.revoke(admin, link)
    assert client.get(f"/share/{token}/parts/speed/").status_code == 410


def test_of_crash_trials_the_sentences_about_the_load_are_in_how_it_works(client_in):
    one = trials.experiment()
    told = "a commit needs 0.50 redo log and 0.40 binary log fsyncs with 1/1"
    assert told in client_in.get(f"/results/{one.pk}/parts/how-it-works/").text
    assert told not in client_in.get(f"/results/{one.pk}/").text


def test_without_measurements_there_are_no_parts(client_in):
    one = factory.experiment(measured=0, state="failed")
    one.cells.all().delete()
    assert not links(client_in.get(f"/results/{one.pk}/").text)


def test_a_message_waits_for_a_page_that_its_reader_sees(client_in):
    """A script reads the part."""
    one = factory.experiment()
    client_in.post(f"/share/links/{actions.share(None, one)[0].pk}/note/", {"note": "for Ada"})
    said = "The note is saved."
    assert said not in client_in.get(f"/results/{one.pk}/parts/speed/").text
    assert said in client_in.get(f"/results/{one.pk}/").text
