"""Guessing passwords and tokens is made slow: after a few failures one must wait. The audit trail is the memory."""

from datetime import timedelta

from django.utils import timezone

from dashboard.accounts.signals import LOGIN_FAILED
from dashboard.audit.models import Event

WINDOW = timedelta(minutes=10)
PER_NAME_AND_ADDRESS = 5
PER_ADDRESS = 30  # one address trying many names


def must_wait(name: str, address: str, did: str = LOGIN_FAILED) -> bool:
    """Whether this name from this address, or the address as a whole, failed too often within WINDOW. A name counts
    however it is written: capital or small, allauth finds the same account."""
    failures = Event.objects.filter(did=did, at__gt=timezone.now() - WINDOW, detail__address=address).order_by()
    if failures.filter(what__iexact=name[:200]).count() >= PER_NAME_AND_ADDRESS:
        return True
    return failures.count() >= PER_ADDRESS
