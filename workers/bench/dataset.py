"""The data of sandboxes: kept as an image after the first load, and copied for later sandboxes.

Only the shape that loads slowly ("rows") is kept, by build, engine, number of rows and Lua scripts.
"""

import fcntl
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from workers.bench.plan import Plan
from workers.bench.workloads import LUA_FOLDER
from workers.sandbox import images, untrusted
from workers.sandbox.builds import Build
from workers.sandbox.server import Sandbox
from workers.sandbox.users import unprivileged_user

SHAPE = "rows"
KEPT_BYTES = 8 << 30  # of images; the least recently used is removed first, the newest stays
LOGS_BYTES = 4 << 30
ROW_BYTES = 300  # upper bound of a sysbench row with its index


@dataclass(frozen=True)
class DataImage:
    """`key` names the image below `root`; `engine`: of its tables."""

    root: Path
    key: str
    engine: str

    def exists(self) -> bool:
        return images.find(self.root, self.key) is not None

    @contextmanager
    def in_use(self) -> Iterator[bool]:
        """Whether it exists. Meanwhile no worker removes an image."""
        if not self.exists():
            yield False
            return
        with _locked(images.folder_of(self.root), fcntl.LOCK_SH):
            there = self.exists()
            if there:
                self._touch()
            yield there

    def keep(self, sandbox: Sandbox) -> None:
        """Save a stopped sandbox's data. Old images beyond KEPT_BYTES are removed, unless a worker copies an image just
        now: then the next call removes them."""
        sandbox.save_image(self.key)
        with suppress(BlockingIOError), _locked(images.folder_of(self.root), fcntl.LOCK_EX | fcntl.LOCK_NB):
            self._touch()
            ours = sorted(images.folder_of(self.root).glob(f"{SHAPE}-*"), key=lambda image: image.stat().st_mtime)
            sizes = accumulate(untrusted.size_bytes(image) for image in reversed(ours))
            for old, size in list(zip(reversed(ours), sizes, strict=True))[1:]:
                if size > KEPT_BYTES:
                    untrusted.remove_tree(old)

    def _touch(self) -> None:
        """Mark it as recently used."""
        os.utime(images.folder_of(self.root) / self.key)


@contextmanager
def _locked(folder: Path, how: int) -> Iterator[None]:
    """BlockingIOError: with LOCK_NB, another worker holds it."""
    held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(held, how)
        yield
    finally:
        os.close(held)


def image_for(root: Path, build: Build, plan: Plan, user: str) -> DataImage | None:
    """The image for the plan; None for a plan with several engines, which is always loaded."""
    engines = {variant.engine.lower() for variant in plan.variants}
    if len(engines) != 1:
        return None
    engine = engines.pop()
    loads = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(LUA_FOLDER.glob("*.lua"))))
    uid = unprivileged_user(user).uid
    what = f"{build.key} {build.version_text} {uid} {engine} {plan.table_rows} {loads.hexdigest()}"
    return DataImage(root, f"{SHAPE}-{hashlib.sha256(what.encode()).hexdigest()[:20]}", engine)


def device_bytes(plan: Plan) -> int:
    """The size of a simulated device for the plan's data: three times the tables, for rows that the load adds, and room
    for logs. It is sparse."""
    engines = {variant.engine.lower() for variant in plan.variants}
    tables = len(engines) * len(plan.workloads) * plan.table_rows * ROW_BYTES
    return LOGS_BYTES + (3 * tables + 4095) // 4096 * 4096
