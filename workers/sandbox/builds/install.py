"""Installs builds into the store, from the catalogue or from the user."""

from pathlib import Path

from workers.errors import SandboxError
from workers.sandbox.builds import store
from workers.sandbox.builds.archive import unpack
from workers.sandbox.builds.build import ask_version
from workers.sandbox.builds.catalogue import CATALOGUE, CatalogueEntry
from workers.sandbox.builds.layout import SERVERS, discover
from workers.sandbox.builds.parts import PARTS, BuildPart
from workers.sandbox.builds.progress import Tell, size_bytes
from workers.sandbox.builds.store import Manifest
from workers.sandbox.builds.system import SYSTEM

UNPACKED = 6  # upper bound of a tarball's content over its size (measured: 2 to 4)


def install(key: str, tell: Tell, mirror: str = "") -> None:
    """Install a build of the catalogue, or a part. SandboxError: unknown, installed already, or something is missing
    here."""
    entry = CATALOGUE.get(key) or PARTS.get(key)
    if entry is None:
        raise SandboxError(
            f"The catalogue has no build called {key!r}.",
            f"It has: {', '.join((*CATALOGUE, *PARTS))}. Another server: manage.py build add NAME --basedir PATH",
        )
    store.require_free(key)
    if missing := entry.source.missing():
        raise SandboxError(f"{key} was not installed. {missing}")
    tell(f"{entry.title}. Licence {entry.licence}. From {entry.source}.")
    tell(f"About {entry.download_mib} MiB to download, {entry.size_mib} MiB when installed, in {store.folder()}.")
    store.require_space(2 * entry.download_mib + entry.size_mib)
    with store.locked(key, tell):
        store.publish(key, lambda root: _put(key, entry, root, tell, mirror))


def _put(key: str, entry: CatalogueEntry | BuildPart, root: Path, tell: Tell, mirror: str) -> Manifest | None:
    """None: a part, which is no server."""
    downloads = store.downloads(key)
    downloads.mkdir(parents=True, exist_ok=True)
    entry.source.put(downloads, root, tell, mirror)
    store.readable(root)
    if isinstance(entry, CatalogueEntry):
        return _server(key, entry, root)
    if not (root / entry.file).is_file():
        raise SandboxError(f"What came has no {entry.file}.", "Nothing was installed.")
    return None


def _server(key: str, entry: CatalogueEntry, root: Path) -> Manifest:
    layout = discover(root, own_libc=entry.source.own_libc)
    flavour, version = ask_version(layout)
    for plugin in entry.plugins:
        if not layout.plugin_dir or not (layout.plugin_dir / plugin).is_file():
            raise SandboxError(f"The downloaded build has no {plugin}.", "Nothing was installed.")
    said = ".".join(map(str, version))
    if flavour != entry.flavour or not f"{said}.".startswith(f"{entry.version.rstrip('.')}."):
        raise SandboxError(f"The downloaded build is {flavour} {said}, not {key}.", "Nothing was installed.")
    return Manifest(
        title=entry.title,
        flavour=flavour,
        version=version,
        source=str(entry.source),
        licence=entry.licence,
        own_libc=entry.source.own_libc,
        plugins=entry.plugins,
        size_mib=size_bytes(root) >> 20,
    )


def add(key: str, tell: Tell, *, basedir: Path | None = None, tarball: Path | None = None) -> None:
    """Add a server of the user: used in its folder (`basedir`), or unpacked from a tarball."""
    if key in (*CATALOGUE, *SYSTEM, *PARTS):
        raise SandboxError(f"{key} is the name of a build in the catalogue or of this system.", "Choose another name.")
    store.require_free(key)
    source = basedir or tarball
    if source is None or not source.exists():
        raise SandboxError(f"There is no {source}.", "Nothing was added. Name a folder or an archive that exists.")
    if tarball:
        store.require_space((tarball.stat().st_size >> 20) * UNPACKED)
    with store.locked(key, tell):
        store.publish(key, lambda root: _in_place(source.resolve()) if basedir else _unpacked(root, source, tell))


def _in_place(basedir: Path) -> Manifest:
    return _described(basedir, basedir=str(basedir))


def _unpacked(root: Path, tarball: Path, tell: Tell) -> Manifest:
    tell(f"Unpacking {tarball.name}.")
    unpack(tarball, root)
    _lift(root)
    store.readable(root)
    return _described(root, source=tarball.name, size_mib=size_bytes(root) >> 20)


def _lift(root: Path) -> None:
    """Most tarballs hold one folder, named by version: its content moves up."""
    inside = list(root.iterdir())
    bare = any((root / server).exists() for server in SERVERS)
    if len(inside) == 1 and inside[0].is_dir() and not inside[0].is_symlink() and not bare:
        only = inside[0].rename(root.parent / "only")
        root.rmdir()
        only.rename(root)


def _described(root: Path, *, source: str = "", basedir: str = "", size_mib: int = 0) -> Manifest:
    flavour, version = ask_version(discover(root))
    title = f"{'MariaDB' if flavour == 'mariadb' else 'MySQL'} {'.'.join(map(str, version))}, {source or basedir}"
    return Manifest(title, flavour, version, source or basedir, "as its owner says", basedir=basedir, size_mib=size_mib)


def remove(key: str, tell: Tell, *, with_downloads: bool = False) -> None:
    """SandboxError: there is no such build."""
    store.require_there(key, or_downloads=with_downloads)
    with store.locked(key, tell):
        store.remove(key, with_downloads=with_downloads)
