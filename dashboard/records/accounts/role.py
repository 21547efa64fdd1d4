"""The roles. The settings read this module, so it imports no model."""

from django.db.models import TextChoices


class Role(TextChoices):
    """From the least to the most; each may do what those before it may."""

    VIEWER = "viewer", "viewer"
    OPERATOR = "operator", "operator"
    ADMINISTRATOR = "administrator", "administrator"


NOBODY = ""  # not logged in
RANKS = (NOBODY, *Role.values)
