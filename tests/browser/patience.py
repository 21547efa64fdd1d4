"""How long a browser is waited for: on a machine that is slow and busy. Only what fails waits that long."""

from playwright.sync_api import BrowserContext

PATIENCE_MS = 120_000


def patient(context: BrowserContext) -> BrowserContext:
    context.set_default_timeout(PATIENCE_MS)
    return context
