"""The page of a server: what was measured on exactly its version stands beside each line of the report."""

from dataclasses import asdict

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect

from tests.browser.axe import violations
from tests.browser.test_nights import dba  # noqa: F401 - a fixture
from tests.unit.findings.test_attached_topology_rules import follows, registered
from tests.unit.findings.test_report_lines import server  # noqa: F401 - a fixture
from workers.servers.keys import SeenKeys
from workers.servers.pins import fingerprint


@pytest.mark.parametrize(("version", "neighbour"), [("10.11.6", ""), ("10.11.9", "10.11.6")])
def test_a_measurement_on_a_neighbour_version_is_marked(page, live_server, dba, server, version, neighbour):  # noqa: F811
    answered = server.preflights.get()
    answered.facts["version_text"] = f"{version}-MariaDB"
    answered.save()
    page.goto(f"{live_server.url}/servers/{server.pk}/")
    log = page.get_by_role("cell", name="binary log", exact=True)
    cell = page.get_by_role("row").filter(has_text="power loss").filter(has=log).get_by_role("cell").nth(2)
    expect(cell).to_contain_text("lost commits in 3 of 4 power losses")
    expect(cell.get_by_text("only on 10.11.6")).to_have_count(2 if neighbour else 0)
    expect(page.get_by_text("not tried on exactly this version (10.11.9-MariaDB)")).to_have_count(1 if neighbour else 0)


@pytest.mark.parametrize("width", [1280, 360])
def test_the_topology_of_a_server_is_readable_on_every_screen(page, live_server, dba, width):  # noqa: F811
    source = registered("db1", 1)
    registered("db2", 2, sources=(*follows("db1", 1), *follows("db7", 7)))
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(f"{live_server.url}/servers/{source.pk}/")
    nodes = page.get_by_role("table").filter(has_text="replica").first
    expect(nodes.get_by_role("link", name="db2")).to_be_visible()
    expect(nodes).to_contain_text("not registered here")
    expect(page.get_by_text("Acknowledged commits that no replica has received")).to_have_count(1)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert violations(page) == []


@pytest.mark.parametrize("width", [1280, 360])
def test_a_key_is_confirmed_where_its_fingerprint_stands(page, live_server, dba, server, width):  # noqa: F811
    answered = server.preflights.get()
    answered.keys = asdict(SeenKeys(fingerprint(b"shown")))
    answered.save()
    owner = User.objects.get(username="maria")
    type(server).objects.update(owner=owner, certificate_pin=fingerprint(b"confirmed before"))
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(f"{live_server.url}/servers/{server.pk}/")
    expect(page.get_by_text("another certificate or key")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert violations(page) == []
    page.get_by_role("button", name="Confirm this key").click()
    expect(page.get_by_text("Test the connection again")).to_be_visible()
    expect(page.get_by_text("Confirmed.", exact=True)).to_be_visible()
