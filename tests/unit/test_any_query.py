"""No page answers with a fault, whatever the parameters of its address or its form say."""

import re
from itertools import product

import pytest
from django.test import Client

from dashboard.installation.home import PROJECT
from dashboard.records.servers.models import Server
from tests.unit.accounts.addresses import filled, get_resolver, patterns
from tests.unit.results import trials
from tests.unit.schedules import made
from tests.walks import report, undone

SOURCES = [path.read_text() for room in ("pages", "findings") for path in (PROJECT / "dashboard" / room).rglob("*.py")]
NAMES = {"a", "b"}.union(*(re.findall(r'\.get\("(\w+)"', source) for source in SOURCES))
TOO_LONG = "1" * 5000  # Python reads no number of so many digits


@pytest.mark.django_db
@pytest.mark.parametrize("said", [TOO_LONG, "a\0b"], ids=["too long", "NUL"])
def test_no_parameter_is_a_fault(client_in, said):
    offenders = []
    number = trials.experiment({"1/1": {"power-loss": [(0, 0)]}}).pk
    Server.objects.get_or_create(pk=number, defaults={"name": "another", "kind": "attached", "host": "db.example.com"})
    made.schedule(pk=number)
    for (name, route, converters, _), method in product(patterns(get_resolver()), ("get", "post")):
        path, browser = filled(route, converters, str(number)), Client(raise_request_exception=False)
        browser.cookies = client_in.cookies.copy()  # one of the addresses is the logout
        with undone():
            if getattr(browser, method)(path, dict.fromkeys(NAMES, said)).status_code == 500:
                offenders.append(f"{method} {path} ({name})")
    report(offenders)
