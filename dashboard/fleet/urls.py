from django.urls import path

from dashboard.fleet import views

app_name = "fleet"
urlpatterns = [path("", views.workers, name="list")]
