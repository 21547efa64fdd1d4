"""Parts that a server can load beside what its build brings. They are in the store, as builds are, without a manifest.

A part is no server: it is not listed among the builds that a plan can name.
"""

from dataclasses import dataclass
from pathlib import Path

from workers.errors import SandboxError
from workers.sandbox.builds import store
from workers.sandbox.builds.debian import DebianSuite


@dataclass(frozen=True)
class BuildPart:
    """`file`: the library, below the unpacked packages. Sizes are measured, in MiB."""

    title: str
    purpose: str
    source: DebianSuite
    file: str
    download_mib: int
    size_mib: int
    licence: str = "GPL-2.0"


PARTS: dict[str, BuildPart] = {
    "galera-4": BuildPart(
        "Galera 4, the replication provider (Debian 12)",
        "Clusters of MariaDB 10.4 and later. The server loads it; it uses the server's C library.",
        DebianSuite("bookworm", (), ("galera-4",)),
        "usr/lib/libgalera_smm.so",
        download_mib=1,
        size_mib=3,
    ),
}


def find(key: str) -> Path:
    """The library of that part. SandboxError: it is not installed."""
    library = store.folder() / key / "root" / PARTS[key].file
    if not library.is_file():
        raise SandboxError(f"{key} is not installed.", f"Install it: manage.py build install {key}")
    return library
