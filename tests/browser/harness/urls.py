"""Names that base.html links to, without the product's views."""

from django.http import HttpResponse
from django.urls import include, path


def nothing(request: object) -> HttpResponse:
    return HttpResponse()


def _one(app: str, prefix: str, name: str) -> object:
    return path(prefix, include(([path("", nothing, name=name)], app)))


urlpatterns = [
    path("", nothing, name="home"),
    path("login/", nothing, name="account_login"),
    path("logout/", nothing, name="account_logout"),
    path("password/", nothing, name="account_change_password"),
    path("factors/", nothing, name="mfa_index"),
    path("sessions/", nothing, name="own_sessions"),
    path("api/", nothing, name="api-reference"),
    _one("servers", "servers/", "list"),
    _one("experiments", "experiments/", "list"),
    _one("results", "results/compare/", "compare"),
    _one("schedules", "nights/", "list"),
    _one("fleet", "workers/", "list"),
    _one("people", "people/", "list"),
    _one("audit", "audit/", "list"),
    _one("tokens", "tokens/", "list"),
    _one("sharing", "shared/", "all"),
    path("help/", include(([path("", nothing, name="words"), path("limits/", nothing, name="limits")], "help"))),
]
