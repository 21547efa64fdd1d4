"""What this worker can do: shown on the workers page and asked when a sandbox is registered."""

import os
import shutil
from typing import Any

from workers.bench import sysbench
from workers.crash.kinds import CRASH_KINDS
from workers.errors import SandboxError
from workers.sandbox import builds
from workers.sandbox.disk import ability


def describe() -> dict[str, Any]:
    """Cores, sysbench's version, builds that can be run, whether fsync can be traced (a C compiler is there), and
    which crashes are not possible on this host and why, and why it cannot simulate a device ("" when it can)."""
    return {
        "cores": os.cpu_count(),
        "sysbench": sysbench.version() or "",
        "builds": [key for key in builds.every() if _there(key)],
        "fsync_trace": shutil.which("cc") is not None,
        "disk_missing": ability.missing(),
        "crash_missing": {key: why for key, kind in CRASH_KINDS.items() if (why := kind.missing())},
    }


def _there(key: str) -> bool:
    try:
        builds.find(key)
    except SandboxError:
        return False
    return True
