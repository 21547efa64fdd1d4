from django.urls import path

from dashboard.pages.help import views

app_name = "help"
urlpatterns = [path("", views.words, name="words")]
