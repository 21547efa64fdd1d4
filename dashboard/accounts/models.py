"""What we know of an account beside Django's own row."""

from django.conf import settings
from django.db import models

from dashboard.accounts.roles import Role


class Person(models.Model):
    """Made with each account (see `signals`)."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, primary_key=True, on_delete=models.CASCADE, related_name="person"
    )
    role = models.CharField(max_length=16, choices=Role, default=Role.VIEWER)
    must_change_password = models.BooleanField(default=False)  # somebody else knows it: it was given by hand

    class Meta:
        constraints = [models.CheckConstraint(name="role_is_known", condition=models.Q(role__in=Role.values))]

    def __str__(self) -> str:
        return self.user.get_username()
