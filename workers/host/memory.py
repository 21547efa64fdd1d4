"""How near this process is to the limit of its memory: that of its control group (MemoryMax of a unit, mem_limit of a
container), or of a group above it. Read from files of control groups of version 2."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

CGROUPS = Path("/sys/fs/cgroup")
OWN = Path("/proc/self/cgroup")
# The kernel takes these back before it ends a process (memory.stat): cached files, and caches of its own.
GIVEN_BACK = ("inactive_file", "active_file", "slab_reclaimable")


@dataclass(frozen=True)
class MemoryUse:
    used_bytes: int
    limit_bytes: int
    above: str = ""  # the name of the group if it is one above that of this process, which others use too

    @property
    def share(self) -> float:
        return self.used_bytes / self.limit_bytes


def use(cgroups: Path = CGROUPS, own: Path = OWN) -> MemoryUse | None:
    """Of the group that is nearest to its limit; None if nothing is limited here, or it cannot be read."""
    return max(_limited(cgroups, own), key=lambda one: one.share, default=None)


def _limited(cgroups: Path, own: Path) -> Iterator[MemoryUse]:
    for number, group in enumerate(_groups(cgroups, own)):  # its own comes first
        try:
            limit = (group / "memory.max").read_text().strip()
            if limit != "max":
                above = f"/{group.relative_to(cgroups)}" if number else ""
                yield MemoryUse(_used(group), max(int(limit), 1), above)
        except (OSError, ValueError):  # the uppermost group has no limit, nor has a group without this controller
            continue


def _groups(cgroups: Path, own: Path) -> Iterator[Path]:
    try:
        lines = own.read_text().splitlines()
    except OSError:
        return
    inner = next((line.removeprefix("0::/") for line in lines if line.startswith("0::/")), None)
    if inner is not None:
        yield from (cgroups / folder for folder in (Path(inner), *Path(inner).parents))


def _used(group: Path) -> int:
    lines = (line.split() for line in (group / "memory.stat").read_text().splitlines())
    told = {words[0]: int(words[1]) for words in lines if len(words) == 2}
    cached = sum(told.get(name, 0) for name in GIVEN_BACK)
    return max(int((group / "memory.current").read_text()) - cached, 0)
