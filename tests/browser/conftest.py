"""A real Chromium. The `page` fixture fails a test on any console error, uncaught exception or refused inline
style or script; a test that provokes one on purpose clears `problems`.

`site` serves static/ and the harness's pages under the product's own content security policy, without Django's
views; tests of real pages use `page` together with pytest-django's `live_server`.
"""

import os
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.browser import chromium
from tests.browser.harness.site import Site
from tests.browser.patience import PATIENCE_MS
from tests.browser.watched import SharedContext, watched

os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")  # Playwright's loop runs in the test's own thread

ARGS = [
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    program = chromium.program()
    if program is None:
        pytest.skip("chromium is not installed")
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=ARGS)
        yield browser
        browser.close()


@pytest.fixture
def problems() -> list[str]:
    return []


@pytest.fixture(scope="session")
def shared(browser: Browser) -> Iterator[SharedContext]:
    made = SharedContext(browser)
    yield made
    made.context.close()


@pytest.fixture
def context(shared: SharedContext) -> Iterator[BrowserContext]:
    """With nothing that an earlier test left in it but cached scripts and styles."""
    yield shared.context
    shared.forget()


@pytest.fixture
def page(context: BrowserContext, problems: list[str]) -> Iterator[Page]:
    page = watched(context, problems)
    yield page
    page.close()
    assert not problems, "\n".join(problems)


@pytest.fixture(scope="session")
def site() -> Iterator[Site]:
    with Site() as site:
        yield site
