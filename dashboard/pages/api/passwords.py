"""API tokens end with the password under which they were made. Django tells its password validators of every change,
whoever made it: the person, an administrator, `makeadmin --reset` or `changepassword`. A hash that is only renewed
with more rounds at a login is no change."""

from django.contrib.auth.models import User

from dashboard.pages.api.actions import end_all


class EndsTokens:
    """For AUTH_PASSWORD_VALIDATORS. Every password will do for it."""

    def validate(self, password: str, user: User | None = None) -> None:
        """Nothing to find fault with."""

    def get_help_text(self) -> str:
        return "A new password revokes all API tokens of the account."

    def password_changed(self, password: str, user: User | None = None) -> None:
        if user is not None and user.pk:
            end_all(user, "the password changed")
