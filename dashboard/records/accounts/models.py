"""Accounts: columns beside those of Django's user."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from dashboard.records.accounts.role import Role


class Person(models.Model):
    """Created with each account (dashboard.pages.accounts.signals)."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, primary_key=True, on_delete=models.CASCADE, related_name="person"
    )
    role = models.CharField(max_length=16, choices=Role, default=Role.VIEWER)
    must_change_password = models.BooleanField(default=False)  # another person knows the password
    one_time_until = models.DateTimeField(null=True)  # a one-time password is refused from then on

    class Meta:
        constraints = [models.CheckConstraint(name="role_is_known", condition=models.Q(role__in=Role.values))]

    def __str__(self) -> str:
        return self.user.get_username()

    @property
    def one_time_expired(self) -> bool:
        return self.must_change_password and self.one_time_until is not None and self.one_time_until <= timezone.now()


class Attempt(models.Model):
    """One event that counts against a limit: a tried password or token, or a refusal in the log. Only `throttle` writes
    rows."""

    at = models.DateTimeField(default=timezone.now, db_index=True)
    kind = models.CharField(max_length=40)
    name = models.CharField(max_length=200)  # in lower case, as `throttle` compares it
    address = models.CharField(max_length=64)

    class Meta:
        indexes = [models.Index(fields=["kind", "address", "at"], name="attempts_of_an_address")]
