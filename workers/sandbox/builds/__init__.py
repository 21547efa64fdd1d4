"""Builds: server binaries that a worker can run, of this system, the catalogue or the user."""

from workers.errors import SandboxError
from workers.sandbox.builds import store, system
from workers.sandbox.builds.build import Build
from workers.sandbox.builds.catalogue import CATALOGUE, CatalogueEntry
from workers.sandbox.builds.store import Manifest
from workers.sandbox.builds.system import SYSTEM, SystemServer

__all__ = ["BUILDS", "Build", "KnownBuild", "every", "find"]


KnownBuild = SystemServer | CatalogueEntry | Manifest  # installed or not
BUILDS: dict[str, KnownBuild] = {**SYSTEM, **CATALOGUE}


def every() -> dict[str, KnownBuild]:
    """BUILDS, and those that users added on this machine."""
    return BUILDS | {key: manifest for key in store.installed() if key not in BUILDS and (manifest := _read(key))}


def _read(key: str) -> KnownBuild | None:
    """None: the manifest is damaged, which `find` reports."""
    try:
        return store.read(key)
    except SandboxError:
        return None


def find(key: str) -> Build:
    """The build of that key, ready to run. SandboxError: unknown or not installed."""
    if key in SYSTEM:
        return system.find(key)
    if build := store.find(key):
        return build
    if key in CATALOGUE:
        raise SandboxError(f"{key} is not installed.", f"Install it: manage.py build install {key}")
    raise SandboxError(f"There is no build called {key}.", f"Known builds: {', '.join(every())}.")
