"""The login form, with the throttle in front of the password check."""

from typing import Any

from django.contrib.auth.forms import AuthenticationForm
from django.core.exceptions import ValidationError

from dashboard.accounts.signals import address
from dashboard.accounts.throttle import WINDOW, must_wait


class LoginForm(AuthenticationForm):
    """Refuses before it looks at the password, so that waiting reveals nothing about it."""

    def clean(self) -> dict[str, Any]:
        if must_wait(self.cleaned_data.get("username", ""), address(self.request)):
            minutes = int(WINDOW.total_seconds() // 60)
            raise ValidationError(
                f"Too many failed logins. Nothing was checked this time. Wait {minutes} minutes and try again.",
                code="throttled",
            )
        return super().clean()
