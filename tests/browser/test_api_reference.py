"""The API reference: a side bar leads to each operation, and each has a curl command to copy."""

from playwright.sync_api import expect

from dashboard.pages.api.service import operations
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
