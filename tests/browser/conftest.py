"""A real Chromium. The `page` fixture fails a test on any console error, uncaught exception or refused inline
style or script; a test that provokes one on purpose clears `problems`.

`site` serves static/ and the harness's pages under the product's own content security policy, without Django's
views; tests of real pages use `page` together with pytest-django's `live_server`.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.test import override_settings
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.browser import chromium
from tests.browser.harness.site import Site
from tests.browser.joined_files import join
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


@pytest.fixture(scope="package", autouse=True)
def static_files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = join(tmp_path_factory.mktemp("joined") / "static")
    with override_settings(STATICFILES_DIRS=[folder]):
        yield folder


@pytest.fixture(scope="package")
def site(static_files: Path) -> Iterator[Site]:
    with Site(static_files) as site:
        yield site
