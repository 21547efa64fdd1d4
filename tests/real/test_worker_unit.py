"""The worker's unit that simulates disks has the capabilities and system calls for it, and no others. It is tried under
exactly these."""

import ctypes.util
import errno
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dashboard.installation.home import PROJECT
from tests.real.disks import needs_disk
from tests.real.networks import needs_network

UNIT = PROJECT / "deploy/systemd/durascope-worker-root@.service"
ASK = "from workers.sandbox.disk import ability; print(ability.missing())"
ASK_NETWORK = "from workers.topology.network import ability; print(ability.missing())"
ENTER = """
import os
from workers.sandbox.disk import ability, own_mounts
before = os.readlink("/proc/self/ns/mnt")
own_mounts.enter()
print(ability.missing() or before != os.readlink("/proc/self/ns/mnt"))
"""
FILTERED = str(Path(__file__).with_name("filtered.py"))


def capabilities() -> list[str]:
    line = next(line for line in UNIT.read_text().splitlines() if line.startswith("CapabilityBoundingSet="))
    return [name.removeprefix("CAP_").lower() for name in line.partition("=")[2].split()]


def limited(names: list[str], ask: str = ASK) -> list[str]:
    bounding = ",".join(["-all", *(f"+{name}" for name in names)])
    return ["setpriv", "--no-new-privs", "--bounding-set", bounding, sys.executable, "-c", ask]


def missing_with(names: list[str]) -> str:
    return subprocess.run(limited(names), cwd=PROJECT, capture_output=True, text=True, check=True).stdout.strip()


@needs_disk
@pytest.mark.skipif(not shutil.which("setpriv"), reason="setpriv is not here")
def test_a_disk_can_be_simulated_with_the_capabilities_of_the_unit():
    assert missing_with(capabilities()) == ""
    assert missing_with([name for name in capabilities() if name != "sys_admin"]), "else the test sees nothing"


REAL_TIME = "import os; os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1)); print('yes')"


def filtered(without: str, *command: str) -> str:
    argv = [sys.executable, FILTERED, str(UNIT), without, *command]
    return subprocess.run(argv, cwd=PROJECT, capture_output=True, text=True, check=True).stdout.strip()


needs_filter = pytest.mark.skipif(
    not (shutil.which("systemd-analyze") and ctypes.util.find_library("seccomp")),
    reason="systemd or libseccomp is not here",
)


@needs_disk
@needs_filter
def test_a_disk_can_be_simulated_with_the_system_calls_of_the_unit():
    """Made, mounted, cut off and taken apart, under the capabilities too."""
    assert filtered("", *limited(capabilities())) == ""
    assert filtered("@mount", *limited(capabilities())), "else the test sees nothing"


@needs_network
@needs_filter
def test_a_network_of_nodes_can_be_made_under_the_rights_of_the_unit():
    """Capabilities, system calls and kinds of namespaces."""
    assert filtered("", *limited(capabilities(), ASK_NETWORK)) == ""
    assert filtered("net", *limited(capabilities(), ASK_NETWORK)), "else the test sees nothing"
    without = [name for name in capabilities() if name != "net_admin"]
    assert filtered("", *limited(without, ASK_NETWORK)), "else the test sees nothing"


@needs_disk
@needs_filter
def test_a_worker_of_the_unit_mounts_in_a_namespace_of_its_own():
    """And simulates a disk there."""
    assert filtered("", *limited(capabilities(), ENTER)) == "True"
    assert filtered("mnt", *limited(capabilities(), ENTER)) == "False", "it goes on without"


@needs_filter
@pytest.mark.parametrize(
    ("kind", "flag", "errors"),
    [("net", 0x40000000, "0"), ("mnt", 0x00020000, "0"), ("uts", 0x04000000, str(errno.EPERM))],
)
def test_the_unit_allows_namespaces_of_networks_and_mounts_only(kind, flag, errors):
    ask = f"import ctypes; print(ctypes.get_errno() if ctypes.CDLL(None, use_errno=True).unshare({flag}) else 0)"
    assert filtered("", sys.executable, "-c", ask) == errors
    assert filtered(kind, sys.executable, "-c", ask) == str(errno.EPERM)


@needs_disk
@needs_filter
def test_a_simulated_disk_may_run_in_real_time():
    assert filtered("", sys.executable, "-c", REAL_TIME) == "yes"
    assert "RestrictRealtime=yes" not in UNIT.read_text()


@needs_filter
@pytest.mark.parametrize("call", ["ptrace", "perf_event_open", "bpf", "clock_settime", "quotactl"])
def test_the_unit_refuses_a_system_call_that_no_worker_needs(call):
    """With arguments that change nothing, and that the kernel refuses for another reason without the filter."""
    ask = f"""
import ctypes
number = ctypes.CDLL("libseccomp.so.2").seccomp_syscall_resolve_name({call.encode()!r})
ctypes.CDLL(None, use_errno=True).syscall(number, -1, 0, 0, 0, 0)
"""
    command = [sys.executable, "-c", f"{ask}print(ctypes.get_errno())"]
    free = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    assert filtered("", *command) == str(errno.EPERM) != free
