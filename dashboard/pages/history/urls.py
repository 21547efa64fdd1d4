from django.urls import path

from dashboard.pages.history import views

app_name = "history"
urlpatterns = [
    path("servers/<int:pk>/", views.server, name="server"),
    path("servers/<int:pk>/<slug:key>.<str:form>", views.chart, name="chart"),
    path("of/<int:pk>/", views.of_experiment, name="of"),
]
