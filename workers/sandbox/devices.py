"""The simulated devices of a measured sandbox: volatile disks whose fsync takes the promised time.

Their file system has no journal, so an fsync is one flush whether a file grows or is overwritten. The promise is then
one figure for redo log and binlog. Nothing is crashed here, so no journal is needed.
"""

import os
import secrets
import statistics
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Self

from workers.errors import SandboxError
from workers.sandbox import place
from workers.sandbox.disk import ability
from workers.sandbox.disk.volatile import VolatileDisk
from workers.sandbox.log_places import LogPlaces
from workers.sandbox.owner import Removable
from workers.sandbox.storage import PAGE_BYTES, Storage

CALIBRATE_S = 0.15  # for each round, and at least LEAST_FSYNCS
LEAST_FSYNCS = 15
ROUNDS = 4
GOOD_ENOUGH = 0.02
MOST_WAY_US = 1000  # a longer overhead means that the machine is busy
FILE_BYTES = 1 << 20


def require_disks() -> None:
    """Raises SandboxError when this host cannot simulate devices."""
    if why := ability.missing():
        raise SandboxError(
            f"This host cannot simulate a device, so nothing was measured. {why}", "Or measure on the host's own disk."
        )


class Devices(Removable):
    """`create` makes them, empty and mounted; their fsyncs take no time until `charge`. `remove`, or the end of the
    `with` block, removes them. `data`: folder for the datadir; `logs`: places of the logs."""

    def __init__(self, storage: Storage) -> None:
        self.storage = storage
        self.disks: list[VolatileDisk] = []
        self._k_us = 1000 * storage.k_ms  # the disks' K: less than promised, see `calibrate`
        self._made = ExitStack()

    @classmethod
    def create(cls, root: Path, storage: Storage, size_bytes: int) -> Self:
        """Below `<root>/live`, for the sweep. `size_bytes` each, sparse. SandboxError: nothing is left behind."""
        place.require_space(root, 0)
        devices = cls(storage)
        try:
            for _ in range(2 if storage.apart else 1):
                folder = root / "live" / f"disk-{secrets.token_hex(4)}"
                disk = VolatileDisk.create(folder, size_bytes, journal=False)
                devices.disks.append(devices._made.enter_context(disk))
            devices.calibrate()
        except BaseException:
            devices.remove()
            raise
        return devices

    @property
    def data(self) -> Path:
        return self.disks[0].mnt

    @property
    def second(self) -> Path | None:
        """The device that holds logs alone."""
        return self.disks[1].mnt if self.storage.apart else None

    @property
    def logs(self) -> LogPlaces:
        folders = {log: self.disks[-1].mnt / log for log in self.storage.apart}
        return LogPlaces(**folders)

    def calibrate(self) -> None:
        """Measure the overhead of the path to the disk (kernel, FUSE, timers: 0.1 ms and more), and subtract it from K.
        Afterwards fsyncs take no time until `charge`."""
        wanted_us, most_us = 1000 * self.storage.fsync_ms(), 1000 * self.storage.k_ms
        with _file(self.data) as fd:
            for _ in range(ROUNDS):
                self._cost(self._k_us)
                over_us = _overwrite_us(fd) - wanted_us
                if abs(over_us) < GOOD_ENOUGH * wanted_us:
                    break
                self._k_us = min(max(self._k_us - over_us, most_us - MOST_WAY_US, 0), most_us)
        self._cost_nothing()

    def charge(self) -> None:
        """From now on an fsync takes the promised time. Unwritten data are written before."""
        self._cost_nothing()
        for disk in self.disks:
            disk.write_out()
        self._cost(self._k_us)

    @contextmanager
    def at_no_cost(self) -> Iterator[None]:
        """For starts and stops, which are not measured."""
        self._cost_nothing()
        yield
        self.charge()

    def give_way(self) -> None:
        """To be called before their server is killed, see VolatileDisk."""
        for disk in self.disks:
            disk.give_way()

    def remove(self) -> None:
        """All processes that write there must be dead. May be called twice."""
        self._made.close()

    def _cost(self, k_us: float) -> None:
        for disk in self.disks:
            disk.storage(k_us, self.storage.r_mb_per_s)

    def _cost_nothing(self) -> None:
        for disk in self.disks:
            disk.storage(0)


@contextmanager
def _file(folder: Path) -> Iterator[int]:
    """A written file, to be overwritten."""
    path = folder / "calibration"
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        os.pwrite(fd, os.urandom(FILE_BYTES), 0)
        os.fsync(fd)
        yield fd
    finally:
        os.close(fd)
        path.unlink()


def _overwrite_us(fd: int) -> float:
    """Lower quartile of the time for a page and its fdatasync: a busy machine makes some longer, none shorter."""
    page = os.urandom(PAGE_BYTES)
    times: list[float] = []
    deadline = time.perf_counter() + CALIBRATE_S
    while len(times) < LEAST_FSYNCS or time.perf_counter() < deadline:
        began = time.perf_counter()
        os.pwrite(fd, page, len(times) * PAGE_BYTES % FILE_BYTES)
        os.fdatasync(fd)
        times.append(time.perf_counter() - began)
    return 1e6 * statistics.quantiles(times, n=4)[0]
