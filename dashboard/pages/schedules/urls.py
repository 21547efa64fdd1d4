from django.urls import path

from dashboard.pages.schedules import views

app_name = "schedules"
urlpatterns = [
    path("", views.index, name="list"),
    path("new/", views.new, name="new"),
    path("preview/", views.preview, name="preview"),
    path("of/<int:pk>/", views.of_experiment, name="of"),
    path("<int:pk>/", views.show, name="show"),
    path("<int:pk>/edit/", views.edit, name="edit"),
    path("<int:pk>/pause/", views.pause, name="pause"),
    path("<int:pk>/resume/", views.resume, name="resume"),
    path("<int:pk>/confirm/", views.confirm, name="confirm"),
    path("<int:pk>/withdraw/", views.withdraw, name="withdraw"),
    path("<int:pk>/run/", views.run, name="run"),
    path("<int:pk>/delete/", views.delete, name="delete"),
]
