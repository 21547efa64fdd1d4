"""Passwords and sessions: allauth's backend, which brings the role along with the account in one question."""

from allauth.account.auth_backends import AuthenticationBackend
from django.contrib.auth.models import User


class Backend(AuthenticationBackend):  # type: ignore[misc]  # allauth has no types
    def get_user(self, user_id: int) -> User | None:
        user = User.objects.select_related("person").filter(pk=user_id).first()
        return user if user and self.user_can_authenticate(user) else None
