"""What a site may be called, and the message queues of its workers."""

import re
import socket

from django.core.exceptions import ValidationError

LOCAL = "local"  # the only site of an installation on one machine
LONGEST = 40
ANYBODY = "celery"  # the queue of what any worker can do
_NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?")


def check(name: str) -> None:
    """Raises ValidationError."""
    if not _NAME.fullmatch(name):
        raise ValidationError(
            f"{name[:LONGEST]!r} is not a site name. Write small letters, digits and -, at most {LONGEST} in all, "
            "no - at an end."
        )


def queue(site: str, host: str = "") -> str:
    """Of all workers of a site, or of those on one of its hosts."""
    return f"site.{site}@{host}" if host else f"site.{site}"


def heard(site: str) -> tuple[str, ...]:
    """The queues of a worker of this site on this host."""
    return (ANYBODY, queue(site), queue(site, socket.gethostname()))
