"""A sandbox has no connection test: its page says the version that its newest experiment ran."""

import pytest
from django.urls import reverse

from dashboard.records.servers.queries import measured_version
from tests.unit.results import factory

pytestmark = pytest.mark.django_db


def test_the_page_says_the_version_of_the_newest_run_and_not_as_its_own(client_in):
    measured = factory.experiment()
    server = measured.cells.first().server
    version = measured_version(server)
    assert version
    page = client_in.get(reverse("servers:detail", args=[server.pk])).text
    assert f"{version} <span" in " ".join(page.split()) and "in its newest experiment" in page
    assert f"Durascope {version}" not in " ".join(page.split())


def test_a_server_that_was_never_measured_has_none():
    assert measured_version(factory.server()) == ""
