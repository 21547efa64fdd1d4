"""Names of sites, and the message queues of their workers."""

import re
import socket

from django.core.exceptions import ValidationError

LOCAL = "local"  # an installation on one machine has only this site
LONGEST = 40
ANYBODY = "celery"  # the queue of tasks that any worker can do
_NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?")


def check(name: str) -> None:
    """Raises ValidationError."""
    if not _NAME.fullmatch(name):
        raise ValidationError(
            f"{name[:LONGEST]!r} is not a site name. Write small letters, digits and -, at most {LONGEST} in all, "
            "no - at an end."
        )


def queue(site: str, host: str = "") -> str:
    """The queue of all workers of a site, or of those on one of its hosts."""
    return f"site.{site}@{host}" if host else f"site.{site}"


def heard(site: str) -> tuple[str, ...]:
    """The queues that a worker of this site on this host reads."""
    return (ANYBODY, queue(site), queue(site, socket.gethostname()))
