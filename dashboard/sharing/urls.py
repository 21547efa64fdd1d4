"""Links are made under experiments/ (login needed) and opened by their token (no login)."""

from django.urls import path, register_converter

from dashboard.sharing import views


class TokenConverter:
    regex = r"[A-Za-z0-9_-]{32}"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


register_converter(TokenConverter, "token")

app_name = "sharing"
urlpatterns = [
    path("experiments/<int:pk>/", views.links, name="list"),
    path("experiments/<int:pk>/create/", views.create, name="create"),
    path("links/<int:pk>/revoke/", views.revoke, name="revoke"),
    path("<token:token>/", views.show, name="show"),
    path("<token:token>/cells/<int:cell_id>/", views.cell, name="cell"),
    path("<token:token>/cells/<int:cell_id>/charts/<slug:key>.<str:form>", views.cell_chart, name="cell_chart"),
    path("<token:token>/trials/", views.trials, name="trials"),
    path("<token:token>/trials/<int:trial_id>/", views.trial, name="trial"),
    path("<token:token>/charts/<slug:key>.<str:form>", views.chart, name="chart"),
]
