"""Addresses below /api/: the operations and their description. The middleware `Gate` admits all operations, because
each asks for a token itself (`door.Token`). A test checks each of them."""

from django.urls import URLPattern, include, path

from dashboard.pages.accounts.gate import needs
from dashboard.pages.api import views
from dashboard.pages.api.service import api

operations = [one for one in api.urls[0] if isinstance(one, URLPattern) and one.name != "api-root"]
for pattern in operations:
    assert pattern.callback is not None
    needs("enter")(pattern.callback)

urlpatterns = [
    path("", views.reference, name="api-reference"),
    path("openapi.json", views.openapi, name="api-openapi"),
    path("v1/", include((operations, "api"))),
]
