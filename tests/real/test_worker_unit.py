"""The worker's unit that simulates disks has the capabilities for it, and no others: tried under exactly these."""

import shutil
import subprocess
import sys

import pytest

from dashboard.home import PROJECT
from tests.real.disks import needs_disk

UNIT = PROJECT / "deploy/systemd/durascope-worker-root@.service"
ASK = "from workers.sandbox.disk import ability; print(ability.missing())"


def capabilities() -> list[str]:
    line = next(line for line in UNIT.read_text().splitlines() if line.startswith("CapabilityBoundingSet="))
    return [name.removeprefix("CAP_").lower() for name in line.partition("=")[2].split()]


def missing_with(names: list[str]) -> str:
    bounding = ",".join(["-all", *(f"+{name}" for name in names)])
    argv = ["setpriv", "--no-new-privs", "--bounding-set", bounding, sys.executable, "-c", ASK]
    return subprocess.run(argv, cwd=PROJECT, capture_output=True, text=True, check=True).stdout.strip()


@needs_disk
@pytest.mark.skipif(not shutil.which("setpriv"), reason="setpriv is not here")
def test_a_disk_can_be_simulated_with_the_capabilities_of_the_unit():
    assert missing_with(capabilities()) == ""
    assert missing_with([name for name in capabilities() if name != "sys_admin"]), "else the test sees nothing"
