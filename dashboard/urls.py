"""All addresses. Each app names its own."""

from django.urls import include, path

from dashboard.experiments.views import home

urlpatterns = [
    path("", home, name="home"),
    path("", include("dashboard.accounts.urls")),
    path("people/", include("dashboard.accounts.people_urls")),
    path("audit/", include("dashboard.audit.urls")),
    path("servers/", include("dashboard.servers.urls")),
    path("experiments/claims/", include("dashboard.reproduction.urls")),
    path("experiments/", include("dashboard.portable.urls")),
    path("experiments/", include("dashboard.experiments.urls")),
    path("results/", include("dashboard.results.urls")),
    path("nights/", include("dashboard.schedules.urls")),
    path("history/", include("dashboard.history.urls")),
    path("notifications/", include("dashboard.notifications.urls")),
    path("workers/", include("dashboard.fleet.urls")),
    path("share/", include("dashboard.sharing.urls")),
    path("tokens/", include("dashboard.api.token_urls")),
    path("api/", include("dashboard.api.urls")),
    path("help/", include("dashboard.help.urls")),
    path("", include("dashboard.monitoring.urls")),
]
