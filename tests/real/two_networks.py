"""A network namespace that this host reaches through one cable: a server in it is on another host, as its clients see
it. Needs root."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from workers.sandbox.namespace import Namespace


@contextmanager
def another_network(number: int = 1) -> Iterator[Namespace]:
    """`number`: of the network, for several in one process. Processes that run side by side have their own."""
    name = f"ds{os.getpid()}-{number}"
    ours, theirs = (f"10.213.{os.getpid() % 256}.{4 * number + end}" for end in (1, 2))
    near, far = f"n{os.getpid() % 1_000_000}-{number}", f"f{os.getpid() % 1_000_000}-{number}"
    _ip("netns", "add", name)
    try:
        _ip("link", "add", near, "type", "veth", "peer", "name", far, "netns", name)
        _ip("addr", "add", f"{ours}/30", "dev", near)
        _ip("link", "set", near, "up")
        _ip("-n", name, "addr", "add", f"{theirs}/30", "dev", far)
        _ip("-n", name, "link", "set", far, "up")
        _ip("-n", name, "link", "set", "lo", "up")
        yield Namespace(Path("/run/netns") / name, theirs)
    finally:
        subprocess.run(["ip", "link", "del", near], check=False, capture_output=True)  # the kernel would do it later
        _ip("netns", "del", name)


def _ip(*argv: str) -> None:
    subprocess.run(["ip", *argv], check=True, capture_output=True)
