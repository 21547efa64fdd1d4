"""Limits on guessing passwords and tokens. An attempt is counted in the database before it is checked, so parallel
attempts at several processes count like attempts in sequence."""

import ipaddress
from datetime import timedelta

from django.utils import timezone

from dashboard.records.accounts.models import Attempt

WINDOW = timedelta(minutes=10)
PER_NAME_AND_ADDRESS = 5
PER_ADDRESS = 30  # one address that tries many names
IPV6_PREFIX = 64  # a client with one IPv6 address has a network of this size


def begin(
    kind: str, name: str, address: str, per_name: int = PER_NAME_AND_ADDRESS, per_address: int = PER_ADDRESS
) -> Attempt | None:
    """Count an attempt; delete the returned row if the attempt succeeds. None: too many within WINDOW, check nothing.
    Upper and lower case count as one name, because allauth finds the same account for both.

    The row is stored before rows are counted: the n-th of n parallel attempts counts at least n. A refused attempt
    does not count; otherwise an attacker could shut out the owner for ever.
    """
    Attempt.objects.filter(at__lte=timezone.now() - WINDOW).delete()
    mine = Attempt.objects.create(kind=kind, name=name.casefold()[:200], address=network(address))
    counted = Attempt.objects.filter(kind=kind, address=mine.address)
    if counted.filter(name=mine.name).count() > per_name or counted.count() > per_address:
        mine.delete()
        return None
    return mine


def count(kind: str, address: str) -> int:
    """Attempts within WINDOW."""
    return Attempt.objects.filter(kind=kind, address=network(address)).count()


def network(address: str) -> str:
    """The network that counts as one address."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return address[:64]
    if isinstance(ip, ipaddress.IPv6Address):
        return str(ip.ipv4_mapped or ipaddress.ip_network((int(ip), IPV6_PREFIX), strict=False))
    return str(ip)
