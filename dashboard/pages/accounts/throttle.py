"""Limits on guessing passwords and tokens. An attempt is counted before it is checked, in the database, so that
attempts which arrive together, at any process, count as well as those which come one after the other."""

import ipaddress
from datetime import timedelta

from django.utils import timezone

from dashboard.records.accounts.models import Attempt

WINDOW = timedelta(minutes=10)
PER_NAME_AND_ADDRESS = 5
PER_ADDRESS = 30  # one address trying many names
IPV6_PREFIX = 64  # whoever has one IPv6 address has a network of this size


def begin(
    kind: str, name: str, address: str, per_name: int = PER_NAME_AND_ADDRESS, per_address: int = PER_ADDRESS
) -> Attempt | None:
    """Count an attempt; delete what is returned if it succeeds. None: too many within WINDOW, check nothing. A name
    counts however it is written: allauth finds the same account for capital and small letters.

    The row is stored before rows are counted: the n-th of many that arrive together counts at least n. One that is
    refused does not count, or a guesser who goes on would shut out the rightful person for ever.
    """
    Attempt.objects.filter(at__lte=timezone.now() - WINDOW).delete()
    mine = Attempt.objects.create(kind=kind, name=name.casefold()[:200], address=network(address))
    counted = Attempt.objects.filter(kind=kind, address=mine.address)
    if counted.filter(name=mine.name).count() > per_name or counted.count() > per_address:
        mine.delete()
        return None
    return mine


def count(kind: str, address: str) -> int:
    """How many attempts count now."""
    return Attempt.objects.filter(kind=kind, address=network(address)).count()


def network(address: str) -> str:
    """What counts as one address."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return address[:64]
    if isinstance(ip, ipaddress.IPv6Address):
        return str(ip.ipv4_mapped or ipaddress.ip_network((int(ip), IPV6_PREFIX), strict=False))
    return str(ip)
