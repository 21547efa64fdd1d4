from django.urls import path

from dashboard.pages.experiments import care_views, views

app_name = "experiments"
urlpatterns = [
    path("", views.index, name="list"),
    path("new/", views.new, name="new"),
    path("new/<slug:recipe>/", views.new, name="new-from"),
    path("review/", views.review, name="review"),
    path("<int:pk>/", views.show, name="show"),
    path("<int:pk>/cancel/", views.cancel, name="cancel"),
    path("<int:pk>/resume/", views.resume, name="resume"),
    path("<int:pk>/rename/", care_views.rename, name="rename"),
    path("<int:pk>/tags/", care_views.tag, name="tag"),
    path("<int:pk>/comments/", care_views.comment, name="comment"),
    path("comments/<int:comment_id>/delete/", care_views.remove_comment, name="remove-comment"),
    path("<int:pk>/baseline/", care_views.mark_baseline, name="mark-baseline"),
    path("<int:pk>/baseline/unmark/", care_views.unmark_baseline, name="unmark-baseline"),
    path("<int:pk>/delete/", care_views.delete, name="delete"),
    path("<int:pk>/restore/", care_views.restore, name="restore"),
    path("<int:pk>/progress/", views.progress, name="progress"),
]
