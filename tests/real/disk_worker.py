"""Not a test: the worker that test_disk_leaks.py kills. Prints the disk's folder, its process, and a mark.

Arguments: the root, and how far to go: `disk` (a disk alone), `server` (a sandbox on it), `frozen` (server frozen and
disk cut), `image` (in the midst of making a disk image), `measured` (a sandbox on two devices).
"""

import sys
import time
from pathlib import Path

from workers.sandbox import builds, images
from workers.sandbox.devices import Devices
from workers.sandbox.disk import prepared
from workers.sandbox.disk.volatile import VolatileDisk
from workers.sandbox.server import Sandbox
from workers.sandbox.storage import parse
from workers.sandbox.users import unprivileged_user


def tell(disk: VolatileDisk, server: int = 0) -> None:
    print(disk.folder, disk.pid, server, flush=True)
    time.sleep(600)


root, stage = Path(sys.argv[1]), sys.argv[2]
build, user = builds.find("system-mariadb"), unprivileged_user()
if stage == "disk":
    tell(VolatileDisk.create(root / "live" / "doomed-disk", 64 << 20))
elif stage == "image":
    images.ensure(root, "never-finished", lambda to: tell(VolatileDisk.create(to.parent / "disk", 64 << 20)))
elif stage == "measured":
    devices = Devices.create(root, parse("k=2ms+log"), 2 << 30)
    how = {"name": "doomed", "trace": False, "datadir_on": devices.data, "logs": devices.logs}
    tell(devices.disks[0], Sandbox.create(root, build, {"log_bin": "ON"}, **how).pid)
else:
    disk = prepared.new_disk(root, build, user)
    sandbox = Sandbox.create(root, build, {"log_bin": "ON"}, name="doomed", trace=False, datadir_on=disk.mnt)
    server = sandbox.pid
    if stage == "frozen":
        sandbox.freeze()
        disk.cut()
    tell(disk, server)
