"""Which host an address leads to. One host has many names; two experiments must not meet on it under two of them."""

import socket


def addresses(host: str) -> set[str]:
    """All IP addresses of a name or address; the name itself, in lower case, where it is not known."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return {host.lower()}
    return {str(address[0]) for *_, address in found}


def is_local(host: str) -> bool:
    """Whether it leads to this machine: loopback in every spelling, our name, an address of our own."""
    return any(map(_can_bind, addresses(host)))


def _can_bind(address: str) -> bool:
    """The kernel lets one bind to addresses of its own only."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.bind((address, 0))
    except OSError:
        return False
    return True
