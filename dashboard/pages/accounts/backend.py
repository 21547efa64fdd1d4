"""The login backend of allauth, which reads account and role in one query."""

from allauth.account.auth_backends import AuthenticationBackend
from django.contrib.auth.models import User


class Backend(AuthenticationBackend):  # type: ignore[misc]  # allauth has no types
    def get_user(self, user_id: int) -> User | None:
        user = User.objects.select_related("person").filter(pk=user_id).first()
        return user if user and self.user_can_authenticate(user) else None
