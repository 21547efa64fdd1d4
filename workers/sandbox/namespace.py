"""Network namespaces (network_namespaces(7)): a server in its own one shares no address and no port with the host."""

import ctypes
import os
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from workers.errors import SandboxError, reason

CLONE_NEWNET = 0x40000000


@dataclass(frozen=True)
class Namespace:
    """`path`: a file that names the namespace for setns(2); `address`: the IPv4 address of its server."""

    path: Path
    address: str


def socket_in(namespace: Namespace, make: Callable[[], socket.socket] = socket.socket) -> socket.socket:
    """A socket (TCP, unless made otherwise) that speaks in the namespace, for a process outside.

    A socket stays in the namespace where it was made, so one thread goes there and ends. SandboxError: it may not.
    """
    made: list[socket.socket | OSError] = []

    def go() -> None:
        try:
            enter(namespace.path)
            made.append(make())
        except OSError as error:
            made.append(error)

    thread = threading.Thread(target=go, name="in a namespace")
    thread.start()
    thread.join()
    if isinstance(made[0], OSError):
        raise SandboxError(f"The network namespace {namespace.path} could not be entered: {reason(made[0])}.")
    return made[0]


def enter(path: Path) -> None:
    """This thread lives there from now on. OSError: it may not."""
    place = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        if ctypes.CDLL(None, use_errno=True).setns(place, CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    finally:
        os.close(place)
