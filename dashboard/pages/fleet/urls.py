from django.urls import path

from dashboard.pages.fleet import views

app_name = "fleet"
urlpatterns = [
    path("", views.workers, name="list"),
    path("builds/", views.builds_page, name="builds"),
    path("storage/", views.storage_page, name="storage"),
]
