"""What the volatile disk adds, and how long a crash cycle takes.

    python tests/bench/disk.py [--rounds 3] [--cycles 10]

Prints for the disk alone, at K = 0: what an fsync costs (overwrite, append), processor time per flush, throughput of
buffered writes, cuts per second. Then for a MariaDB on it: every step of a trial without its load. Goals: at most 2 s
(kill) and 3 s (power loss) on 2 cores.
"""

import argparse
import mmap
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from workers.sandbox.builds import find
from workers.sandbox.disk import prepared
from workers.sandbox.disk.volatile import VolatileDisk
from workers.sandbox.server import Sandbox
from workers.sandbox.users import unprivileged_user

BLOCK_BYTES = 4096
SYNCS = 2000
BUFFERED_MIB = 256
CUTS = 20
DURABLE = {"log_bin": "ON", "innodb_flush_log_at_trx_commit": "1", "sync_binlog": "1"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cycles", type=int, default=10)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="ds-bench-") as folder:
        root = Path(folder)
        root.chmod(0o755)
        for _ in range(asked.rounds):
            with VolatileDisk.create(root / "live" / "bench") as disk:
                disk_alone(disk)
        for power in (False, True):
            tell_cycles("power loss" if power else "kill", [cycle(root, power) for _ in range(asked.cycles + 1)][1:])


def disk_alone(disk: VolatileDisk) -> None:
    for name, prepare in (("overwrite", overwriting), ("append", appending)):
        with prepare(disk) as sync:
            cpu, flushes, took = cpu_s(disk), disk.stats().flushes, sorted(timed(sync) for _ in range(SYNCS))
        per_flush_us = 1e6 * (cpu_s(disk) - cpu) / (disk.stats().flushes - flushes)
        print(
            f"{name:9}: fsync median {1e3 * took[SYNCS // 2]:.3f} ms, p95 {1e3 * took[SYNCS * 95 // 100]:.3f} ms, "
            f"processor {per_flush_us:.0f} us per flush"
        )
    print(f"buffered : {BUFFERED_MIB / timed(lambda: buffered(disk)):.0f} MiB/s")
    print(f"cut, unmount, power on, mount: {CUTS / timed(lambda: cuts(disk)):.0f} per second", flush=True)


@contextmanager
def overwriting(disk: VolatileDisk) -> Iterator[Callable[[], None]]:
    file = disk.mnt / "overwritten"
    file.write_bytes(bytes(BLOCK_BYTES * 1024))
    fd, block, numbers = os.open(file, os.O_RDWR | os.O_DIRECT), mmap.mmap(-1, BLOCK_BYTES), iter(range(SYNCS))
    os.fsync(fd)

    def sync() -> None:
        os.pwrite(fd, block, BLOCK_BYTES * (next(numbers) % 1024))
        os.fdatasync(fd)

    yield sync
    os.close(fd)


@contextmanager
def appending(disk: VolatileDisk) -> Iterator[Callable[[], None]]:
    fd = os.open(disk.mnt / "appended", os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def sync() -> None:
        os.write(fd, b"x" * BLOCK_BYTES)
        os.fdatasync(fd)

    yield sync
    os.close(fd)


def buffered(disk: VolatileDisk) -> None:
    data = os.urandom(1 << 20)
    with (disk.mnt / "buffered").open("wb") as file:
        for _ in range(BUFFERED_MIB):
            file.write(data)
        file.flush()
        os.fsync(file.fileno())


def cuts(disk: VolatileDisk) -> None:
    for _ in range(CUTS):
        (disk.mnt / "lost").write_bytes(bytes(1 << 20))
        disk.cut()
        disk.power_on()


def cycle(root: Path, power: bool) -> dict[str, float]:
    """Seconds of each step."""
    build, user, steps = find("system-mariadb"), unprivileged_user(), {}

    def step(name: str, do: Callable):
        began = time.monotonic()
        result = do()
        steps[name] = time.monotonic() - began
        return result

    disk = step("disk", lambda: prepared.new_disk(root, build, user))
    options = {"name": "bench", "trace": False, "datadir_on": disk.mnt}
    sandbox = step("server", lambda: Sandbox.create(root, build, DURABLE, **options))
    if power:
        step("hold", disk.hold_flushes)
        step("freeze", sandbox.freeze)
        step("cut", disk.cut)
    step("kill", sandbox.kill)
    if power:
        step("power on", disk.power_on)
    step("recover", lambda: sandbox.recover(DURABLE))
    step("remove", lambda: (sandbox.remove(), disk.remove()))
    return steps


def tell_cycles(kind: str, cycles: list[dict[str, float]]) -> None:
    steps = ", ".join(f"{name} {statistics.median(one[name] for one in cycles):.3f}" for name in cycles[0])
    totals = [sum(one.values()) for one in cycles]
    print(f"{kind}: median {statistics.median(totals):.2f} s, worst {max(totals):.2f} s ({steps})", flush=True)


def timed(do: Callable[[], object]) -> float:
    began = time.perf_counter()
    do()
    return time.perf_counter() - began


def cpu_s(disk: VolatileDisk) -> float:
    """User and system time of the disk's process (fields 14 and 15 of /proc/PID/stat)."""
    fields = Path(f"/proc/{disk.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
