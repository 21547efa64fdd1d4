from django.urls import path

from dashboard.experiments import views

app_name = "experiments"
urlpatterns = [
    path("", views.index, name="list"),
    path("new/", views.new, name="new"),
    path("new/<slug:recipe>/", views.new, name="new-from"),
    path("review/", views.review, name="review"),
    path("<int:pk>/", views.show, name="show"),
    path("<int:pk>/cancel/", views.cancel, name="cancel"),
    path("<int:pk>/resume/", views.resume, name="resume"),
    path("<int:pk>/progress/", views.progress, name="progress"),
    path("<int:pk>/events/", views.events, name="events"),
]
