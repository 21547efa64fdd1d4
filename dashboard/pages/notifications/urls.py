from django.urls import path

from dashboard.pages.notifications import views

app_name = "notifications"
urlpatterns = [
    path("", views.index, name="list"),
    path("new/<slug:kind>/", views.new, name="new"),
    path("<int:pk>/", views.edit, name="edit"),
    path("<int:pk>/secret/", views.secret, name="secret"),
    path("<int:pk>/test/", views.test, name="test"),
    path("<int:pk>/pause/", views.pause, name="pause"),
    path("<int:pk>/resume/", views.resume, name="resume"),
    path("<int:pk>/delete/", views.delete, name="delete"),
]
