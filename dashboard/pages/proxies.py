"""DURASCOPE_PROXIES: the proxies that `forwarded` trusts. The settings read it, so it loads no part of a web server."""

import ipaddress
from collections.abc import Mapping


class BadProxy(ValueError):
    """DURASCOPE_PROXIES holds an invalid address."""


def read(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Addresses and networks. Raises BadProxy."""
    found = tuple(one.strip() for one in environment.get("DURASCOPE_PROXIES", "").split(",") if one.strip())
    for one in found:
        try:
            ipaddress.ip_network(one)
        except ValueError as wrong:
            raise BadProxy(
                f"DURASCOPE_PROXIES holds {one!r}, which is no address. Write addresses, separated by commas."
            ) from wrong
    return found
