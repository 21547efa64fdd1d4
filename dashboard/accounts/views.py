"""Login, logout and a change of password: Django's own, with our templates."""

from django.contrib import messages
from django.contrib.auth import views as auth
from django.contrib.auth.forms import PasswordChangeForm
from django.http import HttpResponse
from django.urls import reverse_lazy

from dashboard.accounts.forms import LoginForm
from dashboard.audit.models import record


class Login(auth.LoginView):
    authentication_form = LoginForm
    template_name = "accounts/login.html"
    redirect_authenticated_user = True


class PasswordChange(auth.PasswordChangeView):
    template_name = "accounts/password.html"
    success_url = reverse_lazy("home")

    def form_valid(self, form: PasswordChangeForm) -> HttpResponse:
        response = super().form_valid(form)
        record(self.request.user, "changed password", self.request.user)
        messages.success(self.request, "Your password was changed. Other sessions of yours are logged out.")
        return response
