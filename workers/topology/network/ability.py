"""Can this host join nodes by a network of their own? It is tried with two nodes. Wires need nothing."""

import functools
from collections.abc import Callable
from pathlib import Path

from workers.errors import SandboxError, reason
from workers.host.ability import CAP_NET_ADMIN, CAP_SYS_ADMIN, first_problem, holds, why_not_opened
from workers.sandbox.namespace import socket_in
from workers.topology.network.network import Network

LIMIT = Path("/proc/sys/user/max_net_namespaces")  # of this user namespace: namespaces(7)
PORT, ARRIVES_S, STAYS_AWAY_S = 1024, 5.0, 0.05
FAILED = "A trial of a network failed"
CONTAINER = "In a container: docker run --cap-add SYS_ADMIN --cap-add NET_ADMIN --device /dev/net/tun ..."


@functools.cache
def missing() -> str:
    """Why this host cannot, and what to do; "" when it can. Takes half a second, once per process."""
    return first_problem(CHECKS)


def _privilege() -> str:
    if holds(CAP_SYS_ADMIN, CAP_NET_ADMIN):
        return ""
    return f"The worker may not make networks (no CAP_SYS_ADMIN or CAP_NET_ADMIN). Run it as root. {CONTAINER}"


def _namespaces() -> str:
    if not Path("/proc/self/ns/net").exists():
        return "The kernel has no network namespaces (CONFIG_NET_NS)."
    if LIMIT.read_text().strip() == "0":
        return f"The kernel allows no network namespaces ({LIMIT} is 0). Try: sysctl user.max_net_namespaces=1024"
    return ""


def _tun() -> str:
    why = why_not_opened("/dev/net/tun")
    says = f"The kernel has no TUN devices, or the worker may not open them ({why}). Try: modprobe tun. {CONTAINER}"
    return says if why else ""


def _a_real_network() -> str:
    """A connection must be made between two nodes, and none during a partition."""
    try:
        with Network(2) as network:
            if not _connects(network, ARRIVES_S):
                return f"{FAILED}: two nodes did not reach each other within {ARRIVES_S:g} s."
            network.link(0, 1).partition()
            return f"{FAILED}: two nodes reached each other in a partition." if _connects(network, STAYS_AWAY_S) else ""
    except (SandboxError, OSError) as error:
        return f"{FAILED}: {reason(error)}"


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


CHECKS: tuple[Callable[[], str], ...] = (_privilege, _namespaces, _tun, _a_real_network)
