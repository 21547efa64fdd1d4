"""Disks with a datadir: the whole file system is made once and copied."""

import secrets
from pathlib import Path

from workers.errors import SandboxError
from workers.sandbox import images, owner, place, untrusted
from workers.sandbox.builds import Build
from workers.sandbox.disk.tools import copy_sparse
from workers.sandbox.disk.volatile import VolatileDisk
from workers.sandbox.users import User

SIZE_BYTES = 2 << 30  # redo log, binlog and undo of a short trial; sparse
FILE = "disk.img"


def new_disk(
    root: Path,
    build: Build,
    user: User,
    *,
    image_key: str = "",
    size_bytes: int = SIZE_BYTES,
    folder: Path | None = None,
) -> VolatileDisk:
    """A volatile disk with a datadir of that build in `mnt/data`: pass its `mnt` to `Sandbox.create(datadir_on=...)`.
    It is a copy of an image of the whole disk, which is made on first use.

    `image_key`: a datadir kept with `Sandbox.save_image`; empty: a server fresh from its installation.
    `folder`: of the disk, not yet made.
    """
    place.prepare(root, user)
    datadir = images.of(root, build, user, image_key)
    key = f"{datadir.parent.name}.whole-disk-{size_bytes >> 20}m"
    image = images.ensure(root, key, lambda folder: _make(datadir, size_bytes, user, folder)) / FILE
    place.require_space(root, image.stat().st_blocks * 512)
    return VolatileDisk.create(folder or root / "live" / f"disk-{secrets.token_hex(4)}", image=image)


def _make(datadir: Path, size_bytes: int, user: User, folder: Path) -> None:
    needed = untrusted.size_bytes(datadir)
    if needed * 2 > size_bytes:
        raise SandboxError(
            f"A disk of {size_bytes >> 20} MiB is too small for {needed >> 20} MiB of data.", "Name a size."
        )
    owner.enterable(folder)
    with VolatileDisk.create(folder / "disk", size_bytes) as disk:
        images.copy(datadir, disk.mnt / "data", user, holes=False)
        copy_sparse(disk.unplug(), folder / FILE)
