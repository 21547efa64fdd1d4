"""Can this host join nodes by a network of their own? It is tried with two nodes. Wires need nothing."""

import functools
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path

from workers.errors import SandboxError, reason
from workers.sandbox.namespace import socket_in
from workers.topology.network.network import Network

CAP_NET_ADMIN, CAP_SYS_ADMIN = 12, 21
PORT, ARRIVES_S, STAYS_AWAY_S = 1024, 5.0, 0.05
CONTAINER = "In a container: docker run --cap-add SYS_ADMIN --cap-add NET_ADMIN --device /dev/net/tun ..."


@functools.cache
def missing() -> str:
    """Why this host cannot, and what to do; "" when it can. Takes half a second, once per process."""
    try:
        return next((why for check in CHECKS if (why := check())), "")
    except OSError as error:
        return f"The host could not be examined: {reason(error)}."


def _platform() -> str:
    return "" if sys.platform == "linux" else "Networks between the nodes of a cluster need Linux."


def _privilege() -> str:
    capabilities = re.search(r"^CapEff:\s*(\w+)", Path("/proc/self/status").read_text(), re.MULTILINE)
    held = int(capabilities[1], 16) if capabilities else 0
    if held >> CAP_SYS_ADMIN & held >> CAP_NET_ADMIN & 1:
        return ""
    return f"The worker may not make networks (no CAP_SYS_ADMIN or CAP_NET_ADMIN). Run it as root. {CONTAINER}"


def _namespaces() -> str:
    return "" if Path("/proc/self/ns/net").exists() else "The kernel has no network namespaces (CONFIG_NET_NS)."


def _tun() -> str:
    node = "/dev/net/tun"
    try:
        os.close(os.open(node, os.O_RDWR | os.O_CLOEXEC))
    except OSError as error:
        says = f"The kernel has no TUN devices, or they are kept from us ({node}: {error.strerror})."
        return f"{says} Try: modprobe tun. {CONTAINER}"
    return ""


def _a_real_network() -> str:
    """A connection must be made between two nodes, and none during a partition."""
    try:
        with Network(2) as network:
            here = _connects(network, ARRIVES_S)
            network.link(0, 1).partition()
            return _verdict(here, _connects(network, STAYS_AWAY_S))
    except (SandboxError, OSError) as error:
        return f"A trial of a network failed: {reason(error)}"


def _connects(network: Network, within_s: float) -> bool:
    server, client = network.nodes
    with socket_in(server) as listening, socket_in(client) as calling:
        listening.bind((server.address, PORT))
        listening.listen()
        calling.settimeout(within_s)
        try:
            calling.connect((server.address, PORT))
        except TimeoutError:
            return False
    return True


def _verdict(joined: bool, joined_in_partition: bool) -> str:
    if not joined:
        return f"A trial of a network failed: two nodes did not reach each other within {ARRIVES_S:g} s."
    return "A trial of a network failed: two nodes reached each other in a partition." if joined_in_partition else ""


CHECKS: tuple[Callable[[], str], ...] = (_platform, _privilege, _namespaces, _tun, _a_real_network)
