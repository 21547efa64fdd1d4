"""The API reference: a side bar leads to each operation, and each has a curl command to copy."""

import pytest
from playwright.sync_api import expect

from dashboard.pages.api.service import operations
from dashboard.records.accounts.models import Person
from dashboard.records.accounts.role import Role
from tests.browser.test_nights import dba  # noqa: F401 - a fixture


def test_the_side_bar_leads_to_each_operation_and_its_command(page, live_server, dba):  # noqa: F811
    page.goto(f"{live_server.url}/api/")
    assert page.evaluate("document.documentElement.scrollHeight") < 12_000, "operations and shapes are folded"
    bar = page.get_by_role("navigation", name="Operations")
    bar.get_by_role("link", name="Start experiment", exact=True).click()
    operation = page.locator("article:target")
    expect(operation).to_be_in_viewport()
    expect(operation.locator("pre")).to_contain_text('curl -sS -X POST "$HERE/api/v1/experiments"')
    expect(operation.get_by_role("button", name="Copy")).to_be_visible()
    expect(bar).to_be_in_viewport()
    count = len(list(operations()))
    expect(page.locator("article pre")).to_have_count(count)
    expect(page.locator("details[open] article")).to_have_count(1)
    expect(bar.locator("li a")).to_have_count(count)


@pytest.mark.parametrize("width", [1280, 360])
def test_no_scope_of_a_token_lies_over_another(page, live_server, dba, width):  # noqa: F811
    Person.objects.update(role=Role.ADMINISTRATOR)  # sees all of them
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(f"{live_server.url}/tokens/")
    scopes = page.locator("label", has=page.locator("input[name=scopes]"))
    assert scopes.count() > 10
    over = "all => all.filter(one => one.scrollWidth > one.clientWidth).map(one => one.innerText)"
    assert scopes.evaluate_all(over) == []
