from django.urls import path

from dashboard.pages.audit import views

app_name = "audit"
urlpatterns = [
    path("", views.log, name="list"),
    path("export.<slug:form>", views.export, name="export"),
]
