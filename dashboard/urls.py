"""All addresses. Each topic names its own."""

from django.urls import include, path

from dashboard.pages.experiments.views import home

urlpatterns = [
    path("", home, name="home"),
    path("", include("dashboard.pages.accounts.urls")),
    path("people/", include("dashboard.pages.accounts.people_urls")),
    path("audit/", include("dashboard.pages.audit.urls")),
    path("servers/", include("dashboard.pages.servers.urls")),
    path("experiments/claims/", include("dashboard.pages.reproduction.urls")),
    path("experiments/", include("dashboard.pages.portable.urls")),
    path("experiments/", include("dashboard.pages.experiments.urls")),
    path("results/", include("dashboard.pages.results.urls")),
    path("nights/", include("dashboard.pages.schedules.urls")),
    path("history/", include("dashboard.pages.history.urls")),
    path("notifications/", include("dashboard.pages.notifications.urls")),
    path("workers/", include("dashboard.pages.fleet.urls")),
    path("share/", include("dashboard.pages.sharing.urls")),
    path("tokens/", include("dashboard.pages.api.token_urls")),
    path("api/", include("dashboard.pages.api.urls")),
    path("help/", include("dashboard.pages.help.urls")),
    path("", include("dashboard.pages.monitoring.urls")),
]
