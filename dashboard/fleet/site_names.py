"""What a site may be called. Its name is part of a message queue's, of a command and of an address."""

import re

from django.core.exceptions import ValidationError

LOCAL = "local"  # the only site of an installation on one machine
LONGEST = 40
_NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?")


def check(name: str) -> None:
    """Raises ValidationError."""
    if not _NAME.fullmatch(name):
        raise ValidationError(
            f"{name[:LONGEST]!r} is no name of a site. Write small letters, digits and -, at most {LONGEST} in all, "
            "no - at an end."
        )
