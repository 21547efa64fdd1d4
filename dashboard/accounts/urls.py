"""No namespace: Django's settings and templates say `login` and `logout`."""

from django.contrib.auth.views import LogoutView
from django.urls import path

from dashboard.accounts import views

urlpatterns = [
    path("login/", views.Login.as_view(), name="login"),
    path("logout/", LogoutView.as_view(next_page="login"), name="logout"),
    path("password/", views.PasswordChange.as_view(), name="password_change"),
]
