"""Not a test: a process that mounts a simulated disk. Arguments: its folder, and where it is mounted: `own` or `host`.

It prints the mount point and the device. After a line of input the disk loses its power, and it prints what came of it.
"""

import sys
from pathlib import Path

from workers.errors import SandboxError
from workers.sandbox.disk import own_mounts
from workers.sandbox.disk.volatile import VolatileDisk

folder, where = Path(sys.argv[1]), sys.argv[2]
if where == "own":
    own_mounts.enter()
with VolatileDisk.create(folder, 64 << 20) as disk:
    print(disk.mnt, disk.device, flush=True)
    sys.stdin.readline()
    try:
        disk.cut()
        disk.power_on()
        print("powered on", flush=True)
    except SandboxError as failed:
        print(failed.message, flush=True)
