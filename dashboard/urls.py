"""All addresses but those of results, share links, logins and the API, which have files of their own."""

from django.urls import URLPattern, URLResolver, include, path

from dashboard.pages.accounts import people
from dashboard.pages.api import views as tokens
from dashboard.pages.audit import views as audit
from dashboard.pages.experiments import care_views
from dashboard.pages.experiments import views as experiments
from dashboard.pages.fleet import views as fleet
from dashboard.pages.help import views as help
from dashboard.pages.history import views as history
from dashboard.pages.monitoring import views as monitoring
from dashboard.pages.notifications import views as notifications
from dashboard.pages.palette import views as palette
from dashboard.pages.portable import views as portable
from dashboard.pages.reproduction import views as reproduction
from dashboard.pages.schedules import views as schedules
from dashboard.pages.servers import audit_page, import_page
from dashboard.pages.servers import views as servers


def topic(under: str, name: str, *addresses: URLPattern) -> URLResolver:
    """Addresses below `under`; templates call them `name:...`."""
    return path(under, include((addresses, name)))


urlpatterns = [
    path("", experiments.home, name="home"),
    path("find.json", palette.find, name="find"),
    path("", include("dashboard.pages.accounts.urls")),
    topic(
        "people/",
        "people",
        path("", people.people, name="list"),
        path("add/", people.add, name="add"),
        path("<int:pk>/", people.person, name="person"),
        path("<int:pk>/role/", people.role, name="role"),
        path("<int:pk>/deactivate/", people.deactivate, name="deactivate"),
        path("<int:pk>/activate/", people.activate, name="activate"),
        path("<int:pk>/end/", people.end, name="end"),
        path("<int:pk>/password/", people.password, name="password"),
        path("<int:pk>/factors/", people.factors, name="factors"),
        path("<int:pk>/tokens/", people.tokens, name="tokens"),
    ),
    topic(
        "audit/",
        "audit",
        path("", audit.log, name="list"),
        path("export.<slug:form>", audit.export, name="export"),
    ),
    topic(
        "servers/",
        "servers",
        path("", servers.servers, name="list"),
        path("register/", servers.register, name="register"),
        path("import/", import_page.import_servers, name="import"),
        path("audit/", audit_page.fleet, name="audit"),
        path("audit/pasted/", audit_page.of_text, name="audit-pasted"),
        path("audit/read/", audit_page.read_all, name="audit-read"),
        path("<int:pk>/", servers.detail, name="detail"),
        path("<int:pk>/edit/", servers.edit, name="edit"),
        path("<int:pk>/delete/", servers.delete, name="delete"),
        path("<int:pk>/hand-over/", servers.hand_over, name="hand-over"),
        path("<int:pk>/confirm-key/", servers.confirm_key, name="confirm-key"),
        path("<int:pk>/level/", servers.level, name="level"),
        path("<int:pk>/test/", servers.test, name="test"),
        path("<int:pk>/expendable/", servers.expendable, name="expendable"),
        path("<int:pk>/expendable/withdraw/", servers.withdraw, name="withdraw"),
        path("<int:pk>/failover-manager/", servers.failover_manager, name="failover-manager"),
        path("<int:pk>/failover-manager/withdraw/", servers.withdraw_manager, name="withdraw-manager"),
        path("<int:pk>/start/", servers.start, name="start"),
        path("preflights/<int:pk>.json", servers.preflight, name="preflight"),
    ),
    topic(
        "experiments/claims/",
        "reproduction",
        path("", reproduction.claims, name="claims"),
        path("claims.<str:form>", reproduction.file, name="file"),
    ),
    topic(
        "experiments/",
        "portable",
        path("import/", portable.import_page, name="import"),
        path("<int:pk>/export.zip", portable.export, name="export"),
    ),
    topic(
        "experiments/",
        "experiments",
        path("", experiments.index, name="list"),
        path("new/", experiments.new, name="new"),
        path("new/<slug:recipe>/", experiments.new, name="new-from"),
        path("review/", experiments.review, name="review"),
        path("<int:pk>/", experiments.show, name="show"),
        path("<int:pk>/cancel/", care_views.cancel, name="cancel"),
        path("<int:pk>/resume/", care_views.resume, name="resume"),
        path("<int:pk>/rename/", care_views.rename, name="rename"),
        path("<int:pk>/tags/", care_views.tag, name="tag"),
        path("<int:pk>/comments/", care_views.comment, name="comment"),
        path("comments/<int:pk>/delete/", care_views.remove_comment, name="remove-comment"),
        path("<int:pk>/baseline/", care_views.mark_baseline, name="mark-baseline"),
        path("<int:pk>/baseline/unmark/", care_views.unmark_baseline, name="unmark-baseline"),
        path("<int:pk>/delete/", care_views.delete, name="delete"),
        path("<int:pk>/restore/", care_views.restore, name="restore"),
        path("<int:pk>/progress/", experiments.progress, name="progress"),
    ),
    path("results/", include("dashboard.pages.results.urls")),
    topic(
        "nights/",
        "schedules",
        path("", schedules.index, name="list"),
        path("new/", schedules.new, name="new"),
        path("preview/", schedules.preview, name="preview"),
        path("of/<int:pk>/", schedules.of_experiment, name="of"),
        path("<int:pk>/", schedules.show, name="show"),
        path("<int:pk>/edit/", schedules.edit, name="edit"),
        path("<int:pk>/pause/", schedules.pause, name="pause"),
        path("<int:pk>/resume/", schedules.resume, name="resume"),
        path("<int:pk>/confirm/", schedules.confirm, name="confirm"),
        path("<int:pk>/withdraw/", schedules.withdraw, name="withdraw"),
        path("<int:pk>/run/", schedules.run, name="run"),
        path("<int:pk>/delete/", schedules.delete, name="delete"),
    ),
    topic(
        "history/",
        "history",
        path("servers/<int:pk>/", history.server, name="server"),
        path("servers/<int:pk>/<slug:key>.<str:form>", history.chart, name="chart"),
        path("of/<int:pk>/", history.of_experiment, name="of"),
    ),
    topic(
        "notifications/",
        "notifications",
        path("", notifications.index, name="list"),
        path("new/<slug:kind>/", notifications.new, name="new"),
        path("<int:pk>/", notifications.edit, name="edit"),
        path("<int:pk>/secret/", notifications.secret, name="secret"),
        path("<int:pk>/test/", notifications.test, name="test"),
        path("<int:pk>/pause/", notifications.pause, name="pause"),
        path("<int:pk>/resume/", notifications.resume, name="resume"),
        path("<int:pk>/delete/", notifications.delete, name="delete"),
    ),
    topic(
        "workers/",
        "fleet",
        path("", fleet.workers, name="list"),
        path("builds/", fleet.builds_page, name="builds"),
        path("storage/", fleet.storage_page, name="storage"),
    ),
    path("share/", include("dashboard.pages.sharing.urls")),
    topic(
        "tokens/",
        "tokens",
        path("", tokens.tokens, name="list"),
        path("make/", tokens.make, name="make"),
        path("<int:pk>/revoke/", tokens.revoke, name="revoke"),
    ),
    path("api/", include("dashboard.pages.api.urls")),
    topic(
        "help/",
        "help",
        path("", help.words, name="words"),
        path("limits/", help.limits, name="limits"),
    ),
    path("health", monitoring.is_ready, name="health"),
    path("health/live", monitoring.is_alive, name="health-live"),
    path("health/<slug:check>", monitoring.has, name="health-check"),
    path("metrics", monitoring.metrics, name="metrics"),
]
handler500 = "dashboard.pages.request_id.failed"
