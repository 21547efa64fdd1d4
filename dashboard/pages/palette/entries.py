"""The pages that a person may open, by the operations of their views, and the entry of the navigation that a page
belongs to."""

from functools import cache

from django.conf import settings
from django.urls import resolve, reverse

from dashboard.records.accounts.actor import Actor
from dashboard.records.accounts.roles import OPERATIONS, allowed

SECTIONS = {  # how addresses begin, and the entry that is then marked; the longest beginning counts
    "/servers/": "servers:list",
    "/servers/audit/": "servers:audit",
    "/history/": "servers:list",
    "/experiments/": "experiments:list",
    "/experiments/claims/": "reproduction:claims",
    "/results/": "experiments:list",
    "/results/compare/": "results:compare",
    "/nights/": "schedules:list",
    "/notifications/": "notifications:list",
    "/workers/": "fleet:list",
    "/api/": "api-reference",
    "/help/": "help:words",
}


def address_for(user: Actor, name: str) -> str:
    """The address of a page without arguments; "" if the gate would refuse this person."""
    address, operation = _page(name, settings.ROOT_URLCONF)
    return address if operation in OPERATIONS and allowed(user, operation) else ""


@cache
def _page(name: str, urls: str) -> tuple[str, str]:
    """Its address, and the operation of its view; without one, nobody may open it."""
    address = reverse(name, urls)
    return address, getattr(resolve(address, urls).func, "operation", "")


def section(path: str) -> str:
    """The entry that a page belongs to; "" if it is in none."""
    if path == "/":
        return "home"
    return SECTIONS.get(max((one for one in SECTIONS if path.startswith(one)), key=len, default=""), "")
