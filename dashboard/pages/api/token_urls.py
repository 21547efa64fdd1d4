from django.urls import path

from dashboard.pages.api import views

app_name = "tokens"
urlpatterns = [
    path("", views.tokens, name="list"),
    path("make/", views.make, name="make"),
    path("<int:pk>/revoke/", views.revoke, name="revoke"),
]
