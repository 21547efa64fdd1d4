"""Pages whose errors fail a test: what the console says, exceptions, and what our content security policy refuses."""

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, BrowserContext, Page

from tests.browser.patience import patient

REPORT_VIOLATIONS = (
    "addEventListener('securitypolicyviolation', e => console.error('CSP', e.violatedDirective, e.blockedURI))"
)

STORED = "local_storage,indexeddb,cache_storage,service_workers"


@contextmanager
def page_of_several_tests(browser: Browser) -> Iterator[Page]:
    """A page that tests leave as they found it. A context and what it loads cost more than most tests."""
    problems: list[str] = []
    context = fresh(browser)
    yield watched(context, problems)
    context.close()
    assert not problems, "\n".join(problems)


def fresh(browser: Browser) -> BrowserContext:
    """Without motion, which is drawn 60 times a second. The journey sees it."""
    desk = {"width": 1280, "height": 900}
    context = patient(browser.new_context(viewport=desk, accept_downloads=True, reduced_motion="reduce"))
    context.add_init_script(REPORT_VIOLATIONS)
    return context


def watched(context: BrowserContext, problems: list[str]) -> Page:
    """Errors of the page are added to `problems`."""
    page = context.new_page()
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: problems.append(str(error)))
    return page


class SharedContext:
    """Of all tests of a process: a new one for each would load scripts and styles anew, and cost half a second more."""

    def __init__(self, browser: Browser) -> None:
        self.context = fresh(browser)
        self._own = self.context.new_page()
        self._session = self.context.new_cdp_session(self._own)

    def forget(self) -> None:
        """Pages, routes, permissions, cookies and everything that pages stored."""
        for page in self.context.pages:
            if page is not self._own:
                page.close()
        self.context.unroute_all()
        self.context.clear_permissions()
        self.context.clear_cookies()
        self._session.send("Storage.clearDataForOrigin", {"origin": "*", "storageTypes": STORED})
