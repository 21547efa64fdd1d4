"""For the whole suite. (The temporary home is made in tests/settings.py, before Django reads any setting.)"""

import os

import hypothesis
import pytest
from django.contrib.auth.models import User
from django.test import Client

# The same examples in every run that decides about a landing; new ones wherever somebody works.
hypothesis.settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):
    hypothesis.settings.load_profile("ci")


@pytest.fixture
def admin(db: None) -> User:
    return User.objects.create_superuser("admin", password="a long test password")


@pytest.fixture
def client_in(client: Client, admin: User) -> Client:
    """A browser with the administrator logged in."""
    client.force_login(admin)
    return client
