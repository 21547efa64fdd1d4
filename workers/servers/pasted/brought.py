"""Settings that another setting brings with it."""

from collections.abc import Mapping

from workers.servers.facts import Version
from workers.servers.pasted.options import ServerOptions

READS_ONLY = 6  # from this innodb_force_recovery on
NO_FSYNC = "O_DIRECT_NO_FSYNC"
FAST = "fast"  # of innodb_doublewrite: it flushes no data files either
DEDICATED_METHOD_BEFORE: Version = (8, 4, 0)


def brought(
    values: Mapping[str, str | None], server: ServerOptions, version: Version, *, has_method: bool
) -> dict[str, str | None]:
    """None: unknown. `has_method`: the file gives a flush method."""
    found: dict[str, str | None] = {}
    if server.habit("read_only_doublewrite") == "off" and (reads := _reads_only(values)) != "OFF":
        found |= {"innodb_read_only": reads, "innodb_doublewrite": "OFF" if reads == "ON" else None}
    dedicated = values.get("innodb_dedicated_server", "OFF")
    if dedicated != "OFF" and not has_method and version < DEDICATED_METHOD_BEFORE:
        found["innodb_flush_method"] = NO_FSYNC if dedicated == "ON" else None
    if values.get("innodb_checksums") == "OFF":
        found["innodb_checksum_algorithm"] = "none"
    has_fast = FAST in server.options["innodb_doublewrite"].choices
    if has_fast and values.get("innodb_flush_method") == NO_FSYNC and values.get("innodb_doublewrite") == "ON":
        found.setdefault("innodb_doublewrite", FAST)
    return found


def _reads_only(values: Mapping[str, str | None]) -> str | None:
    """InnoDB then writes nothing, and nothing twice."""
    if int(values.get("innodb_force_recovery") or 0) >= READS_ONLY:
        return "ON"
    return values.get("innodb_read_only")
