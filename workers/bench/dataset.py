"""The data of sandboxes, loaded once: kept as an image after the first load, copied for every later sandbox.

Kept for the one shape that takes time to load ("rows"), by build, engine, number of rows, and what loads it.
"""

import hashlib
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
KEPT_BYTES = 8 << 30  # of images; the one that was used longest ago goes first, the newest stays
LOGS_BYTES = 4 << 30
ROW_BYTES = 300  # upper bound of what a row of sysbench's takes in a table, with its index


@dataclass(frozen=True)
class DataImage:
    """`key` names the image below `root`; the engine is the only one whose tables it holds."""

    root: Path
    key: str
    engine: str

    def exists(self) -> bool:
        return images.find(self.root, self.key) is not None

    def keep(self, sandbox: Sandbox) -> None:
        """Save a stopped sandbox's data, and let go of old images beyond what may be kept."""
        sandbox.save_image(self.key)
        self.touch()
        ours = sorted(images.folder_of(self.root).glob(f"{SHAPE}-*"), key=lambda image: image.stat().st_mtime)
        sizes = accumulate(images.size_bytes(image) for image in reversed(ours))
        for old, size in list(zip(reversed(ours), sizes, strict=True))[1:]:
            if size > KEPT_BYTES:
                untrusted.remove_tree(old)

    def touch(self) -> None:
        """Note that it is in use."""
        (images.folder_of(self.root) / self.key).touch()


def image_for(root: Path, build: Build, plan: Plan, user: str) -> DataImage | None:
    """The image that fits the plan; None for a plan with several engines, which is loaded anew."""
    engines = {variant.engine.lower() for variant in plan.variants}
    if len(engines) != 1:
        return None
    engine = engines.pop()
    loads = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(LUA_FOLDER.glob("*.lua"))))
    uid = unprivileged_user(user).uid
    what = f"{build.key} {build.version_text} {uid} {engine} {plan.table_rows} {loads.hexdigest()}"
    return DataImage(root, f"{SHAPE}-{hashlib.sha256(what.encode()).hexdigest()[:20]}", engine)


def device_bytes(plan: Plan) -> int:
    """How large a simulated device for the plan's data must be: three times the tables, for what the load adds to
    them, and room for logs. It takes no more than is written to it."""
    engines = {variant.engine.lower() for variant in plan.variants}
    tables = len(engines) * len(plan.workloads) * plan.table_rows * ROW_BYTES
    return LOGS_BYTES + (3 * tables + 4095) // 4096 * 4096
