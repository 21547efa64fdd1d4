"""A network namespace with one address on a TUN device: netdevice(7), and the kernel's networking/tuntap.rst.

By system calls, because a host may lack iproute2. Only root can call these.
"""

import contextlib
import ctypes
import fcntl
import os
import socket
import struct
from pathlib import Path

CLONE_NEWNET = 0x40000000
TUNSETIFF, TUNSETOFFLOAD = 0x400454CA, 0x400454D0
IFF_TUN, IFF_NO_PI, IFF_VNET_HDR = 0x0001, 0x1000, 0x4000
TUN_F_CSUM, TUN_F_TSO4 = 1, 2
SIOCSIFFLAGS, SIOCSIFADDR, SIOCSIFNETMASK, SIOCSIFTXQLEN = 0x8914, 0x8916, 0x891C, 0x8943
IFF_UP, IFF_RUNNING = 0x1, 0x40
QUEUE = 10_000  # packets that wait for us: a lost one would cost TCP 200 ms
RP_FILTER = Path("/proc/sys/net/ipv4/conf/all/rp_filter")  # no packet with the source of another link
DEVICE, LOOPBACK, NETMASK = "node", "lo", "255.255.255.0"


def new_namespace() -> int:
    """This process lives in a new namespace from now on; the descriptor keeps it when the process moves on. It goes
    with its last descriptor and its last process."""
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        _up(any_socket, LOOPBACK)
    with contextlib.suppress(OSError):  # read-only in a container
        RP_FILTER.write_text("1")
    return os.open("/proc/self/ns/net", os.O_RDONLY | os.O_CLOEXEC)


def new_device(address: str) -> int:
    """A TUN device here, with that address; the descriptor reads what the namespace sends and writes what it receives.

    Each packet follows a virtio_net_hdr: the kernel gives and takes up to 64 KiB of one TCP stream at once, and need
    not compute checksums.
    """
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        fcntl.ioctl(device, TUNSETIFF, _request(DEVICE, struct.pack("H", IFF_TUN | IFF_NO_PI | IFF_VNET_HDR)))
        fcntl.ioctl(device, TUNSETOFFLOAD, TUN_F_CSUM | TUN_F_TSO4)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
            for what, value in ((SIOCSIFADDR, address), (SIOCSIFNETMASK, NETMASK)):
                fcntl.ioctl(any_socket, what, _request(DEVICE, _sockaddr(value)))
            fcntl.ioctl(any_socket, SIOCSIFTXQLEN, _request(DEVICE, struct.pack("i", QUEUE)))
            _up(any_socket, DEVICE)
    except BaseException:
        os.close(device)
        raise
    return device


def _up(any_socket: socket.socket, device: str) -> None:
    fcntl.ioctl(any_socket, SIOCSIFFLAGS, _request(device, struct.pack("H", IFF_UP | IFF_RUNNING)))


def _request(device: str, value: bytes) -> bytes:
    """struct ifreq"""
    return struct.pack("16s24s", device.encode(), value)


def _sockaddr(address: str) -> bytes:
    return struct.pack("HH4s", socket.AF_INET, 0, socket.inet_aton(address))
