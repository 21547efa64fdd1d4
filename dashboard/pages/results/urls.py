"""Addresses of results. Share links have addresses of their own: dashboard.pages.sharing.urls."""

from django.urls import path

from dashboard.pages.results import views
from dashboard.pages.results.compare import views as compare
from dashboard.pages.results.crash import views as crash

app_name = "results"
urlpatterns = [
    path("compare/", compare.page, name="compare"),
    path("compare/charts/<slug:key>.<str:form>", compare.chart, name="compare_chart"),
    path("<int:experiment_id>/", views.page, name="page"),
    path("<int:experiment_id>/report/", views.report, name="report"),
    path("<int:experiment_id>/parts/<slug:key>/", views.part, name="part"),
    path("<int:experiment_id>/charts/<slug:key>.<str:form>", views.chart, name="chart"),
    path("<int:experiment_id>/trials/", crash.trials, name="trials"),
    path("trials/<int:trial_id>/", crash.trial, name="trial"),
    path("trials/<int:pk>/repeat/", crash.repeat, name="trial-repeat"),
    path("trials/<int:trial_id>/crash-points/<int:number>.tar.gz", crash.crash_point, name="crash-point"),
    path("trials/<int:trial_id>/crash-points.<str:form>", crash.crash_points, name="crash-points"),
    path("cells/<int:cell_id>/", views.cell, name="cell"),
    path("cells/<int:cell_id>/charts/<slug:key>.<str:form>", views.cell_chart, name="cell_chart"),
]
