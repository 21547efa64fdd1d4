"""What this worker can do: shown on the workers page and asked when a sandbox is registered."""

import os
import shutil

from workers.bench import sysbench
from workers.bench.trial_kinds import TRIAL_KINDS
from workers.errors import SandboxError
from workers.sandbox import builds
from workers.sandbox.builds import store
from workers.sandbox.disk import ability
from workers.sandbox.users import not_apart


def describe() -> dict[str, object]:
    """Cores, sysbench's version, builds that can be run (key -> what it is), whether fsync can be traced (a C compiler
    is there), what does not separate sandboxes from the worker ("": they have a user of their own), which crashes are
    not possible on this host and why, and why it cannot simulate a device ("" when it can)."""
    return {
        "cores": os.cpu_count(),
        "sysbench": sysbench.version() or "",
        "builds": {key: build for key in builds.every() if (build := _build(key))},
        "fsync_trace": shutil.which("cc") is not None,
        "not_apart": not_apart(),
        "disk_missing": ability.missing(),
        "crash_missing": {key: why for key, kind in TRIAL_KINDS.items() if (why := kind.missing())},
    }


def _build(key: str) -> dict[str, object] | None:
    """None: it is not here. `size_mib` is 0 where the files are not ours; `missing`: why it would not start."""
    try:
        found, manifest = builds.find(key), store.read(key)
    except SandboxError:
        return None
    return {
        "title": found.title,
        "flavour": found.flavour,
        "version": found.version_text,
        "size_mib": manifest.size_mib if manifest else 0,
        "missing": " ".join(filter(None, (engine.missing() for engine in found.engines))),
    }
