"""The audit's page while workers read the servers: it fills by itself, and what a person types stays."""

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from dashboard.records.servers.models import Preflight
from tests.browser.axe import violations
from tests.browser.patience import patient
from tests.browser.test_nights import dba  # noqa: F401 - a fixture
from tests.unit.findings.test_audit import registered, settings
from tests.unit.results import factory


@pytest.fixture
def asked(transactional_db):
    """Three servers whose first reading waits."""
    servers = [factory.server(f"db{n}", host=f"db{n}.example.org") for n in range(3)]
    return [Preflight.objects.create(server=one) for one in servers]


def answer(waiting, **found):
    like = registered(f"like-{waiting.pk}", settings(**found))
    facts = like.preflights.get().facts
    like.delete()
    Preflight.objects.filter(pk=waiting.pk).update(state="done", done_at=timezone.now(), facts=facts)


def test_the_audit_fills_by_itself(page, live_server, dba, asked, problems):  # noqa: F811
    page.goto(f"{live_server.url}/servers/audit/")
    finding, lines = page.locator(".finding"), page.locator("table.audit tbody tr")
    expect(finding).to_have_text("3 of 3 servers are not read yet.")
    expect(lines.first).to_contain_text("not read yet")
    page.get_by_label("Settings of a server").fill("sync_binlog 0")
    answer(asked[0], flush="0")
    expect(finding).to_contain_text("may be lost on 1 when the server is killed")
    expect(lines.first).to_contain_text("db0")
    expect(page.get_by_text("Servers that are being read now: 2")).to_be_visible()
    answer(asked[1])
    answer(asked[2])
    expect(page.get_by_text("being read now")).to_have_count(0)
    expect(page.locator("table.audit").get_by_text("not read yet")).to_have_count(0)
    expect(page.get_by_label("Settings of a server")).to_have_value("sync_binlog 0")
    assert violations(page) == []


def test_without_scripts_it_says_how_to_look_again(browser, page, live_server, dba, asked):  # noqa: F811
    plain = patient(browser.new_context(java_script_enabled=False))
    try:
        plain.add_cookies(page.context.cookies())
        other = plain.new_page()
        other.goto(f"{live_server.url}/servers/audit/")
        answer(asked[0], flush="0")
        other.get_by_role("link", name="Load this page again").click()
        expect(other.locator(".finding")).to_contain_text("may be lost on 1 when the server is killed")
    finally:
        plain.close()
