"""What runs, is mounted or lies about because of the installation under test."""

import os
from collections.abc import Collection
from pathlib import Path


def processes(base: Path, without: Collection[int] = (), outside: Collection[Path] = ()) -> dict[int, str]:
    """Process id -> command line of those that belong to `base` by command line, environment or working folder.
    `outside`: folders below it whose processes do not count."""
    left_out = [os.fsencode(folder) for folder in outside]
    seen = {pid: line for pid in _pids() if pid not in without and (line := _line(pid, os.fsencode(base), left_out))}
    return {pid: line for pid, line in seen.items() if pid != os.getpid()}


def _pids() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").glob("[0-9]*")]


def _line(pid: int, mark: bytes, left_out: list[bytes]) -> str:
    """Empty: it is none of them."""
    process = Path(f"/proc/{pid}")
    try:
        line = (process / "cmdline").read_bytes()
        known = line + (process / "environ").read_bytes() + os.fsencode((process / "cwd").readlink())
        ended = (process / "stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return ""  # gone meanwhile, or another user's
    if not line or ended or mark not in known or any(folder in known for folder in left_out):
        return ""
    return line.replace(b"\0", b" ").decode(errors="replace").strip()


def mounts(below: Path) -> list[str]:
    """Mount points in any mount namespace: a worker has one of its own."""
    lines = {line for pid in _pids() for line in _mountinfo(pid)}
    return sorted({line.split()[4] for line in lines if line.split()[4].startswith(f"{below}/")})


def _mountinfo(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/mountinfo").read_text().splitlines()
    except OSError:
        return []


def loop_devices(below: Path) -> list[str]:
    found = []
    for device in Path("/sys/block").glob("loop*"):
        try:
            behind = (device / "loop/backing_file").read_text().strip()
        except OSError:
            continue  # not attached
        if behind.startswith(f"{below}/"):
            found.append(f"{device.name} on {behind}")
    return found


def entries(*folders: Path) -> list[str]:
    return [str(entry) for folder in folders if folder.is_dir() for entry in sorted(folder.iterdir())]
