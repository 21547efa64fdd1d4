from importlib import import_module

import pytest


@pytest.fixture(scope="package", autouse=True)
def addresses_with_their_views():
    """Loaded before a test puts another view in the place of one: its process would keep that for all later tests."""
    import_module("dashboard.urls")
