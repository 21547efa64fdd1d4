"""Nobody sees anything without a login, whatever address is added later, but for the short list below."""

import re

import pytest
from django.urls import URLPattern, get_resolver
from django.urls.converters import IntConverter

OPEN = {"login", "sharing:show", "sharing:chart"}
pytestmark = pytest.mark.django_db


def patterns(resolver, prefix="", space=""):
    for entry in resolver.url_patterns:
        if isinstance(entry, URLPattern):
            yield f"{space}{entry.name}", prefix + str(entry.pattern), entry.pattern.converters
        else:
            inner = f"{space}{entry.namespace}:" if entry.namespace else space
            yield from patterns(entry, prefix + str(entry.pattern), inner)


def filled(route, converters):
    """The route with something plausible in each place."""

    def example(found):
        converter = converters[found[1]]
        if isinstance(converter, IntConverter):
            return "1"
        return "A" * 32 if "{32}" in converter.regex else "json"

    return "/" + re.sub(r"<(?:\w+:)?(\w+)>", example, route)


ALL = [(name, filled(route, converters)) for name, route, converters in patterns(get_resolver())]


def test_it_knows_every_address():
    names = {name for name, _ in ALL}
    assert names >= OPEN | {"home", "servers:list", "experiments:list", "results:page", "fleet:list"}
    assert not any("<" in path for _, path in ALL)


@pytest.mark.parametrize("method", ["get", "post"])
@pytest.mark.parametrize(("name", "path"), [pair for pair in ALL if pair[0] not in OPEN])
def test_it_sends_nobody_to_the_login(client, name, path, method):
    answer = getattr(client, method)(path)
    if answer.status_code == 302:
        assert answer["Location"].startswith("/login/")
    else:
        assert answer.status_code in (404, 405)


@pytest.mark.parametrize(("name", "path"), [pair for pair in ALL if pair[0] not in OPEN])
def test_it_refuses_a_post_without_the_token_of_the_form(admin, name, path):
    from django.test import Client

    client = Client(enforce_csrf_checks=True)
    client.force_login(admin)
    assert client.post(path).status_code in (403, 405)


def test_it_opens_the_login_to_nobody(client):
    assert client.get("/login/").status_code == 200
