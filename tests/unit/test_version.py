import pytest
from django.test import Client
from django.urls import reverse

from dashboard.installation.version import VERSION
from tests.markup import flat

pytestmark = pytest.mark.django_db


def test_the_footer_names_the_version_to_those_who_logged_in(client_in):
    assert f"Durascope {VERSION}" in flat(client_in.get(reverse("home")).text)
    assert VERSION not in Client().get(reverse("account_login")).text.split("<footer")[1]
