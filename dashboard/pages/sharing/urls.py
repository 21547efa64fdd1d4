"""Users who may share create and list links. The token opens a link without a login."""

from django.urls import path, register_converter
from django.urls.converters import StringConverter

from dashboard.pages.sharing import opened, views


class TokenConverter(StringConverter):
    regex = r"[A-Za-z0-9_-]{32}"


register_converter(TokenConverter, "token")

app_name = "sharing"
urlpatterns = [
    path("", views.all_links, name="all"),
    path("experiments/<int:pk>/", views.links, name="list"),
    path("experiments/<int:pk>/create/", views.create, name="create"),
    path("comparisons/", views.compare, name="compare"),
    path("links/<int:pk>/note/", views.annotate, name="annotate"),
    path("links/<int:pk>/revoke/", views.revoke, name="revoke"),
    path("<token:token>/", opened.show, name="show"),
    path("<token:token>/picture.png", opened.picture, name="picture"),
    path("<token:token>/embed/<slug:key>/", opened.embed, name="embed"),
    path("<token:token>/cells/<int:cell_id>/", opened.cell, name="cell"),
    path("<token:token>/cells/<int:cell_id>/charts/<slug:key>.<str:form>", opened.cell_chart, name="cell_chart"),
    path("<token:token>/trials/", opened.trials, name="trials"),
    path("<token:token>/trials/<int:trial_id>/", opened.trial, name="trial"),
    path("<token:token>/parts/<slug:key>/", opened.part, name="part"),
    path("<token:token>/charts/<slug:key>.<str:form>", opened.chart, name="chart"),
]
