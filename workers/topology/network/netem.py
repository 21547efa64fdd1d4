"""Links by the kernel: a pair of veth devices between two namespaces, with tc-netem(8) at both ends.

It is more exact than a tunnel and costs less, but many kernels are built without it.
"""

import functools
import subprocess

from workers.errors import SandboxError, reason
from workers.sandbox.namespace import Namespace
from workers.topology.network.link import NodeLink, microseconds

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
PACKETS = "100000"  # that wait for their time
# Both ends have one address and need not ask for it: a question that gets no answer would be an error for the sender.
SILENT = "address 02:00:00:00:00:01 arp off"
OPEN, PARTED = "1:", "2:"  # another handle is another queue, and the old one's packets are lost


@functools.cache
def available() -> bool:
    """Found by trying, in a namespace that ends with the trial. Once per process."""
    try:
        _run("unshare", "--net", "tc", "qdisc", "add", "dev", "lo", "root", "netem", "delay", "1ms")
        _run("unshare", "--net", "ip", "link", "add", "one", "type", "veth", "peer", "name", "other")
    except SandboxError:
        return False
    return True


class NetemLink(NodeLink):
    def __init__(self, one: Namespace, other: Namespace) -> None:
        self._ends = ((one, f"to-{other.address}"), (other, f"to-{one.address}"))
        self._us, self._parted = 0, False
        (_, here), (_, there) = self._ends
        _inside(one, "ip", f"link add {here} {SILENT} type veth peer name {there} {SILENT} netns {other.path}")
        for (namespace, device), target in zip(self._ends, (other, one), strict=True):
            address = f"address add {namespace.address} peer {target.address} dev {device}"
            _inside(namespace, "ip", address, f"link set {device} up")

    def delay(self, one_way_ms: float) -> None:
        self._us = microseconds(one_way_ms)
        self._set()

    def partition(self) -> None:
        self._parted = True
        self._set()

    def heal(self) -> None:
        self._parted = False
        self._set()

    def _set(self) -> None:
        handle, loss = (PARTED, " loss 100%") if self._parted else (OPEN, "")
        for namespace, device in self._ends:
            netem = f"netem limit {PACKETS} delay {self._us}us{loss}"
            _inside(namespace, "tc", f"qdisc replace dev {device} root handle {handle} {netem}")


def _inside(namespace: Namespace, tool: str, *lines: str) -> None:
    _run("nsenter", f"--net={namespace.path}", tool, "-batch", "-", said="\n".join(lines))


def _run(*argv: str, said: str = "") -> None:
    try:
        done = subprocess.run(argv, env={"PATH": PATH, "LC_ALL": "C"}, input=said, capture_output=True, text=True)
    except OSError as error:
        raise SandboxError(f"{argv[0]} could not be run: {reason(error)}.", "Install it.") from error
    if done.returncode:
        raise SandboxError(f"{' '.join(argv)} {said} failed: {done.stderr.strip()[-500:]}.", "Nothing was joined.")
