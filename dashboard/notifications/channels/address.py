"""Which addresses of the network a webhook may reach.

Whoever may set up a webhook makes a worker open connections (server-side request forgery): so names are resolved
here, every address behind a name must be public, and the connection goes to the address that was looked at, not to
the name, which could mean another one a moment later (DNS rebinding). DURASCOPE_WEBHOOK_ALLOW=private lifts that.
"""

import ipaddress
import socket

from django.conf import settings

from dashboard.notifications.message import Undeliverable, Undelivered

Ip = ipaddress.IPv4Address | ipaddress.IPv6Address
# Addresses that carry another one inside: NAT64, 6to4, Teredo.
WRAPPED = [ipaddress.ip_network(net) for net in ("64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32")]


class BadAddress(ValueError):
    """This cannot be sent to; the message says why."""


def refuse_markup(address: str) -> None:
    """Pages show addresses: one that could be read as a tag or end an attribute is nobody's. Raises BadAddress."""
    if any(sign in address for sign in '<>"'):
        raise BadAddress('Write the address without the signs <, > and ".')


def is_public(address: str) -> bool:
    ip: Ip = ipaddress.ip_address(address)
    if isinstance(ip, ipaddress.IPv6Address):
        if ip.ipv4_mapped:
            return is_public(str(ip.ipv4_mapped))
        if any(ip in net for net in WRAPPED):
            return False
    return ip.is_global and not ip.is_multicast


def resolve(host: str, port: int) -> list[str]:
    """Addresses to connect to, in the system's order. Raises Undelivered, Undeliverable: off limits."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as unknown:
        raise Undelivered(f"The name {host} is not known to the worker's machine.") from unknown
    addresses = list(dict.fromkeys(str(one[4][0]) for one in found))
    if "private" not in settings.WEBHOOK_ALLOW and not all(map(is_public, addresses)):
        raise Undeliverable(
            f"{host} leads into a private network, where webhooks may not go. Nothing was sent.",
            "If it is meant to, set DURASCOPE_WEBHOOK_ALLOW=private (docs/nights.md).",
        )
    return addresses
