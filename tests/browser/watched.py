"""Pages whose errors fail a test: what the console says, exceptions, and what our content security policy refuses."""

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, BrowserContext, Page

from tests.browser.patience import patient

REPORT_VIOLATIONS = (
    "addEventListener('securitypolicyviolation', e => console.error('CSP', e.violatedDirective, e.blockedURI))"
)


@contextmanager
def page_of_several_tests(browser: Browser) -> Iterator[Page]:
    """A page that tests leave as they found it. A context and what it loads cost more than most tests."""
    problems: list[str] = []
    context = fresh(browser)
    yield watched(context, problems)
    context.close()
    assert not problems, "\n".join(problems)


def fresh(browser: Browser) -> BrowserContext:
    context = patient(browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True))
    context.add_init_script(REPORT_VIOLATIONS)
    return context


def watched(context: BrowserContext, problems: list[str]) -> Page:
    """Errors of the page are added to `problems`."""
    page = context.new_page()
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: problems.append(str(error)))
    return page
