"""A new password revokes the API tokens of its account. Django calls its password validators after every change: by the
person, by an administrator, by `makeadmin --reset` or `changepassword`. They are not called if a login only renews the
hash with more rounds."""

from django.contrib.auth.models import User

from dashboard.pages.api.actions import end_all


class EndsTokens:
    """For AUTH_PASSWORD_VALIDATORS. It refuses no password."""

    def validate(self, password: str, user: User | None = None) -> None:
        """Every password is valid."""

    def get_help_text(self) -> str:
        return "A new password revokes all API tokens of the account."

    def password_changed(self, password: str, user: User | None = None) -> None:
        if user is not None and user.pk:
            end_all(user, "the password changed")
