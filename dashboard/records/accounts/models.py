"""What we know of an account beside Django's own row."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from dashboard.records.accounts.role import Role


class Person(models.Model):
    """Made with each account (see `signals`)."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, primary_key=True, on_delete=models.CASCADE, related_name="person"
    )
    role = models.CharField(max_length=16, choices=Role, default=Role.VIEWER)
    must_change_password = models.BooleanField(default=False)  # somebody else knows it: it was given by hand
    one_time_until = models.DateTimeField(null=True)  # such a password logs nobody in from then on

    class Meta:
        constraints = [models.CheckConstraint(name="role_is_known", condition=models.Q(role__in=Role.values))]

    def __str__(self) -> str:
        return self.user.get_username()

    @property
    def one_time_expired(self) -> bool:
        return self.must_change_password and self.one_time_until is not None and self.one_time_until <= timezone.now()


class Attempt(models.Model):
    """Something that counts against a limit for some minutes: a password or a token that was tried, a refusal that
    was logged. Only `throttle` writes it."""

    at = models.DateTimeField(default=timezone.now, db_index=True)
    kind = models.CharField(max_length=40)
    name = models.CharField(max_length=200)  # as `throttle` compares it: without capital letters
    address = models.CharField(max_length=64)

    class Meta:
        indexes = [models.Index(fields=["kind", "address", "at"], name="attempts_of_an_address")]
