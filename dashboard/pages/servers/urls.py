from django.urls import path

from dashboard.pages.servers import views

app_name = "servers"
urlpatterns = [
    path("", views.servers, name="list"),
    path("register/", views.register, name="register"),
    path("<int:pk>/", views.detail, name="detail"),
    path("<int:pk>/edit/", views.edit, name="edit"),
    path("<int:pk>/delete/", views.delete, name="delete"),
    path("<int:pk>/hand-over/", views.hand_over, name="hand-over"),
    path("<int:pk>/test/", views.test, name="test"),
    path("<int:pk>/expendable/", views.expendable, name="expendable"),
    path("<int:pk>/expendable/withdraw/", views.withdraw, name="withdraw"),
    path("<int:pk>/start/", views.start, name="start"),
    path("preflights/<int:pk>.json", views.preflight, name="preflight"),
]
