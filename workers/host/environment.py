"""The host that a measurement ran on. An unknown fact is None."""

import os
import platform
import re
import socket
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class HostFacts:
    hostname: str | None = None
    cpu_model: str | None = None
    cores: int | None = None
    memory_bytes: int | None = None
    kernel: str | None = None
    distribution: str | None = None
    python: str | None = None
    transparent_huge_pages: str | None = None


@dataclass(frozen=True)
class DiskFacts:
    """A whole disk, as the kernel names its queue."""

    model: str | None = None
    rotational: bool | None = None
    scheduler: str | None = None
    write_cache: str | None = None
    logical_block_bytes: int | None = None


@dataclass(frozen=True)
class StorageFacts(DiskFacts):
    """The file system and the device below a folder. The facts of the disk are None when the file system has no block
    device. `profile`: the storage that the device simulates."""

    file_system: str | None = None
    mount_options: str | None = None
    device: str | None = None
    profile: str | None = None


@dataclass(frozen=True)
class Mount:
    """A line of /proc/self/mountinfo. `number`: of the device, such as 259:1."""

    number: str
    point: str
    file_system: str
    device: str
    options: str


def host() -> HostFacts:
    return HostFacts(
        hostname=socket.gethostname(),
        cpu_model=_field("/proc/cpuinfo", r"model name\s*:\s*(.+)") or platform.machine() or None,
        cores=len(os.sched_getaffinity(0)),
        memory_bytes=_memory_bytes(),
        kernel=platform.release() or None,
        distribution=_distribution(),
        python=platform.python_version(),
        transparent_huge_pages=_field("/sys/kernel/mm/transparent_hugepage/enabled", r"\[(\w+)\]"),
    )


def storage(path: Path, profile: str | None = None) -> StorageFacts:
    """`profile`: the storage that the device of the folder simulates."""
    mount = _mount_of(path)
    if mount is None:
        return StorageFacts(profile=profile)
    disk = vars(_disk_facts(mount.number))
    return StorageFacts(
        **disk, file_system=mount.file_system, mount_options=mount.options, device=mount.device, profile=profile
    )


def disk_name(path: Path) -> str | None:
    """The whole disk below a folder as /proc/diskstats names it; None: its file system has no block device."""
    mount = _mount_of(path)
    disk = _disk(mount.number) if mount else None
    return disk.name if disk else None


def is_stacked(disk: str) -> bool:
    """Whether the disk is made of others (LVM, RAID). The kernel counts no flushes of such a disk."""
    return any(Path("/sys/class/block", disk, "slaves").glob("*"))


def load_average() -> float:
    """Load average of the last minute."""
    return os.getloadavg()[0]


def _mount_of(path: Path) -> Mount | None:
    """The mount that holds `path`: of those with its device number the one with the longest matching mount point
    (proc_pid_mountinfo(5)). At one mount point, the last mount hides the others. Btrfs and some others have another
    number for files than for mounts: then the number tells nothing."""
    try:
        path = path.resolve()
        above = [mount for mount in mounts() if path.is_relative_to(mount.point)]
    except (OSError, ValueError):
        return None
    number = _number_of(path)
    known = [mount for mount in above if mount.number == number]
    return max(reversed(known or above), key=lambda mount: len(mount.point), default=None)


def _number_of(path: Path) -> str:
    """Of its device, such as 259:1; "": there is no such file."""
    try:
        device = path.stat().st_dev
    except OSError:
        return ""
    return f"{os.major(device)}:{os.minor(device)}"


def mounts() -> list[Mount]:
    """All mounts of this process, in the order in which they were made. OSError: they cannot be read."""
    return [_parse_mount(line) for line in Path("/proc/self/mountinfo").read_text().splitlines()]


def _parse_mount(line: str) -> Mount:
    before, _, after = line.partition(" - ")
    _, _, number, _, point, options, *_ = before.split()
    file_system, device, *super_options = after.split()
    return Mount(
        number=number,
        point=_unescape(point),
        file_system=file_system,
        device=_unescape(device),
        options=",".join(dict.fromkeys([*options.split(","), *",".join(super_options).split(",")])).strip(","),
    )


def _unescape(text: str) -> str:
    """Blanks in mountinfo are written in octal: \\040."""
    return re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), text)


def _disk_facts(number: str) -> DiskFacts:
    block = _disk(number)
    if block is None:
        return DiskFacts()
    rotational, logical = _read(block / "queue/rotational"), _read(block / "queue/logical_block_size")
    return DiskFacts(
        model=_read(block / "device/model"),
        rotational=None if rotational is None else rotational == "1",
        scheduler=_field(block / "queue/scheduler", r"\[([\w-]+)\]"),
        write_cache=_read(block / "queue/write_cache"),
        logical_block_bytes=int(logical) if logical and logical.isdecimal() else None,
    )


def _disk(number: str) -> Path | None:
    """The /sys folder of the whole disk under a block device number such as 259:1."""
    device = Path(f"/sys/dev/block/{number}")
    if not device.exists():
        return None
    device = device.resolve()
    return device.parent if (device / "partition").exists() else device


def _memory_bytes() -> int | None:
    kib = _field("/proc/meminfo", r"MemTotal:\s+(\d+) kB")
    return int(kib) * 1024 if kib else None


def _distribution() -> str | None:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME")
    except OSError:
        return None


def _field(file: str | Path, pattern: str) -> str | None:
    found = re.search(pattern, _read(Path(file)) or "")
    return found[1].strip() if found else None


def _read(file: Path) -> str | None:
    try:
        return file.read_text(errors="replace").strip() or None
    except OSError:
        return None
