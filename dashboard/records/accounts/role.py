"""The roles. The settings read this module, so it imports no model."""

from django.db.models import TextChoices


class Role(TextChoices):
    """From the fewest rights to the most. Each role includes the rights of those before it."""

    VIEWER = "viewer", "viewer"
    OPERATOR = "operator", "operator"
    ADMINISTRATOR = "administrator", "administrator"


NOBODY = ""  # not logged in
RANKS = (NOBODY, *Role.values)
