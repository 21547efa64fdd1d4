"""Under experiments/."""

from django.urls import path

from dashboard.pages.portable import views

app_name = "portable"
urlpatterns = [
    path("import/", views.import_page, name="import"),
    path("<int:pk>/export.zip", views.export, name="export"),
]
