"""The host behind an address. A host has many names, and two experiments must not load it at the same time."""

import ipaddress
import socket

OUTSIDE = {socket.AF_INET: "192.0.2.1", socket.AF_INET6: "2001:db8::1"}  # reserved for documentation: no host has them


def addresses(host: str) -> set[str]:
    """All IP addresses of a name or address; the name itself, in lower case, when it is not known."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return {host.lower()}
    return {str(address[0]) for *_, address in found}


def is_local(host: str) -> bool:
    """Whether it leads to this machine: loopback, its name, or one of its addresses."""
    return any(map(_can_bind, addresses(host)))


def _can_bind(address: str) -> bool:
    """The kernel lets a process bind only to addresses of this machine."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.bind((address, 0))
    except OSError:
        return False
    return True


def says_here(host: str) -> bool:
    """Whether the address means any machine that uses it: loopback, or no address at all (0.0.0.0), in each form that a
    connection takes (127.1). No name is looked up."""
    if host.lower().rstrip(".") == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        try:
            address = ipaddress.ip_address(socket.inet_aton(host))
        except (OSError, ValueError):
            return False
    address = getattr(address, "ipv4_mapped", None) or address
    return address.is_loopback or address.is_unspecified


def own() -> set[str]:
    """The addresses of this machine for other hosts: the source addresses of outgoing packets. Nothing is sent."""
    found = set()
    for family, outside in OUTSIDE.items():
        try:
            with socket.socket(family, socket.SOCK_DGRAM) as probe:
                probe.connect((outside, 9))
                found.add(str(probe.getsockname()[0]))
        except OSError:  # no such network here
            continue
    return found
