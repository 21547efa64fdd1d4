"""The host that a measurement ran on. An unknown fact is None."""

import os
import platform
import re
import socket
from pathlib import Path
from typing import Any


def host() -> dict[str, Any]:
    """Machine, kernel and distribution. Keys: hostname, cpu_model, cores, memory_bytes, kernel, distribution,
    python, transparent_huge_pages."""
    return {
        "hostname": socket.gethostname(),
        "cpu_model": _field("/proc/cpuinfo", r"model name\s*:\s*(.+)") or platform.machine() or None,
        "cores": len(os.sched_getaffinity(0)),
        "memory_bytes": _memory_bytes(),
        "kernel": platform.release() or None,
        "distribution": _distribution(),
        "python": platform.python_version(),
        "transparent_huge_pages": _field("/sys/kernel/mm/transparent_hugepage/enabled", r"\[(\w+)\]"),
    }


def storage(path: Path) -> dict[str, Any]:
    """The file system and the device below a folder. Keys: file_system, mount_options, device, model, rotational,
    scheduler, write_cache, logical_block_bytes. Device facts are None when the file system has no block device."""
    mount = _mount_of(path)
    return {
        "file_system": mount.get("file_system"),
        "mount_options": mount.get("options"),
        "device": mount.get("device"),
        **_queue_facts(mount.get("number")),
    }


def disk_name(path: Path) -> str | None:
    """The whole disk below a folder as /proc/diskstats names it; None: its file system has no block device."""
    disk = _disk(_mount_of(path).get("number"))
    return disk.name if disk else None


def is_stacked(disk: str) -> bool:
    """Whether the disk is made of others (LVM, RAID). The kernel counts no flushes of such a disk."""
    return any(Path("/sys/class/block", disk, "slaves").glob("*"))


def load_average() -> float:
    """Load average of the last minute."""
    return os.getloadavg()[0]


def _mount_of(path: Path) -> dict[str, str]:
    """The mount that holds `path`: the one of its device number with the longest matching mount point
    (proc_pid_mountinfo(5)). At one mount point, the last mount hides the others."""
    try:
        path = path.resolve()
        above = [mount for mount in mounts() if path.is_relative_to(mount["point"])]
    except (OSError, ValueError):
        return {}
    return max(reversed(above), key=lambda mount: len(mount["point"]), default={})


def mounts() -> list[dict[str, str]]:
    """All mounts of this process, in the order in which they were made. Keys: number, point, file_system, device,
    options. OSError: they cannot be read."""
    return [_parse_mount(line) for line in Path("/proc/self/mountinfo").read_text().splitlines()]


def _parse_mount(line: str) -> dict[str, str]:
    before, _, after = line.partition(" - ")
    _, _, number, _, point, options, *_ = before.split()
    file_system, device, *super_options = after.split()
    return {
        "number": number,
        "point": _unescape(point),
        "file_system": file_system,
        "device": _unescape(device),
        "options": ",".join(dict.fromkeys([*options.split(","), *",".join(super_options).split(",")])).strip(","),
    }


def _unescape(text: str) -> str:
    """Blanks in mountinfo are written in octal: \\040."""
    return re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), text)


def _queue_facts(number: str | None) -> dict[str, Any]:
    block = _disk(number)
    rotational = _read(block / "queue/rotational") if block else None
    logical = _read(block / "queue/logical_block_size") if block else None
    return {
        "model": _read(block / "device/model") if block else None,
        "rotational": None if rotational is None else rotational == "1",
        "scheduler": _field(block / "queue/scheduler", r"\[([\w-]+)\]") if block else None,
        "write_cache": _read(block / "queue/write_cache") if block else None,
        "logical_block_bytes": int(logical) if logical and logical.isdecimal() else None,
    }


def _disk(number: str | None) -> Path | None:
    """The /sys folder of the whole disk under a block device number such as 259:1."""
    device = Path(f"/sys/dev/block/{number}")
    if not number or not device.exists():
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
