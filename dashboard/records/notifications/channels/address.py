"""Which network addresses a webhook may reach.

A person who sets up a webhook makes a worker open connections (server-side request forgery). So names are resolved
here, and every address of a name must be public. The connection uses the checked address, because the name could
resolve to another one later (DNS rebinding). DURASCOPE_WEBHOOK_ALLOW=private lifts the rule.
"""

import ipaddress
import socket

from django.conf import settings

from dashboard.records.notifications.undelivered import Undeliverable, Undelivered

# An own list: `is_global` differs between versions of Python, and is true for addresses that no web server has.
# Source: IANA's registries of special-purpose addresses (RFC 6890). 168.63.129.16 is the host below Azure's machines.
SPECIAL_IPV4 = [
    ipaddress.ip_network(net)
    for net in (
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "168.63.129.16/32", "169.254.0.0/16",
        "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24",
        "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3",
    )
]  # fmt: skip
# IPv6 outside of this network is local, multicast, reserved, or carries an IPv4 address inside (::/96, NAT64).
GLOBAL_IPV6 = ipaddress.ip_network("2000::/3")
# Inside of it: Teredo and other protocols, documentation, 6to4, AS112.
SPECIAL_IPV6 = [
    ipaddress.ip_network(net)
    for net in ("2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20")
]  # fmt: skip


class BadAddress(ValueError):
    """Messages cannot be sent to this address. The message gives the reason."""


def refuse_markup(address: str) -> None:
    """Pages show addresses, so an address must not contain a tag or end an attribute. Raises BadAddress."""
    if any(sign in address for sign in '<>"'):
        raise BadAddress('Write the address without the signs <, > and ".')


def is_public(address: str) -> bool:
    ip = ipaddress.ip_address(address)
    if isinstance(ip, ipaddress.IPv6Address) and ip.ipv4_mapped:
        ip = ip.ipv4_mapped
    if isinstance(ip, ipaddress.IPv4Address):
        return not any(ip in net for net in SPECIAL_IPV4)
    return ip in GLOBAL_IPV6 and not any(ip in net for net in SPECIAL_IPV6)


def resolve(host: str, port: int) -> list[str]:
    """Addresses to connect to, in the system's order. Raises Undelivered, and Undeliverable for a forbidden address."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as unknown:
        raise Undelivered(f"The worker's machine cannot resolve the name {host}.") from unknown
    addresses = list(dict.fromkeys(str(one[4][0]) for one in found))
    if "private" not in settings.WEBHOOK_ALLOW and not all(map(is_public, addresses)):
        raise Undeliverable(
            f"{host} is in a private network, where webhooks are not allowed. Nothing was sent.",
            "To allow it, set DURASCOPE_WEBHOOK_ALLOW=private (docs/nights.md).",
        )
    return addresses
