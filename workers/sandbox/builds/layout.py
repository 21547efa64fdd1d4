"""Finds a server's files below a folder, because every packager has its own layout."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from workers.errors import SandboxError

FOLDERS = ("bin", "sbin", "libexec", "usr/sbin", "usr/bin", "usr/libexec")
SERVERS = tuple(f"{folder}/{name}" for folder in FOLDERS for name in ("mariadbd", "mysqld"))
SHARES = ("share", "share/mysql", "share/mariadb", "usr/share/mysql", "usr/share/mariadb")
PLUGINS = ("lib/plugin", "lib64/plugin", "lib/mysql/plugin", "lib64/mysql/plugin", "usr/lib/mysql/plugin")
OWN_LIBRARIES = ("libs",)  # beside the binaries, for a server that does not know where they are
LOADERS = ("lib/*/ld-linux*.so.*", "usr/lib/*/ld-linux*.so.*", "usr/lib*/ld-linux*.so.*", "lib/*/ld-2.*.so")
LIBRARIES = ("lib/*-linux-*", "usr/lib/*-linux-*")
LIBC = ("libc.so.6", "libdl.so.2")
TEMPLATE = "template"
PROGRAMS = ("bin", "sbin", "libexec")


@dataclass(frozen=True)
class Layout:
    """`share`: messages, character sets and the SQL of the system tables. `loader`: the ld.so of a folder with a C
    library of its own, and `libraries` what it searches; without one they are for LD_LIBRARY_PATH. `template`: a
    datadir of a server that brings no SQL to make one."""

    mysqld: Path
    share: Path | None = None
    plugin_dir: Path | None = None
    loader: Path | None = None
    libraries: tuple[Path, ...] = ()
    template: Path | None = None

    @property
    def libc(self) -> tuple[Path, ...]:
        """The files of its own C library; none when it uses this machine's."""
        found = (folder / name for name in LIBC for folder in self.libraries if self.loader)
        return tuple(path for path in found if path.is_file())

    @property
    def parts(self) -> tuple[Path, ...]:
        """The folders that the programs of a build read."""
        base = self.mysqld.parent.parent if self.mysqld.parent.name in PROGRAMS else self.mysqld.parent
        loader = (self.loader.parent,) if self.loader else ()
        return (base, *filter(None, (self.share, self.plugin_dir)), *loader, *self.libraries)

    @property
    def library_path(self) -> str:
        return ":".join(map(str, self.libraries))

    def command(self, preloaded: str = "") -> list[str]:
        """The command that starts the server; options follow."""
        if not self.loader:
            return [str(self.mysqld)]
        first = ["--preload", preloaded] if preloaded else []
        return [str(self.loader), "--library-path", self.library_path, *first, str(self.mysqld)]


def discover(root: Path, *, own_libc: bool = False) -> Layout:
    """The layout below `root`. `own_libc`: its own C library must be used. SandboxError: there is no server."""
    mysqld = _first(path for path in _below(root, SERVERS) if path.is_file())
    if mysqld is None:
        raise SandboxError(
            f"There is no mariadbd or mysqld below {root}.", f"Looked in: {', '.join(FOLDERS)}. Name its base folder."
        )
    return Layout(
        mysqld=mysqld,
        share=_first(path for path in _below(root, SHARES) if (path / "english/errmsg.sys").is_file()),
        plugin_dir=_first(path for path in _below(root, PLUGINS) if path.is_dir()),
        loader=_loader(root) if own_libc else None,
        libraries=tuple(path for path in _below(root, LIBRARIES if own_libc else OWN_LIBRARIES) if path.is_dir()),
        template=_first(path for path in _below(root, (TEMPLATE,)) if path.is_dir()),
    )


def _loader(root: Path) -> Path:
    """The loader inside of `root`: absolute links lead out of it."""
    inside = (
        path for path in _below(root, LOADERS) if path.is_file() and path.resolve().is_relative_to(root.resolve())
    )
    if found := _first(inside):
        return found
    raise SandboxError(f"The C library below {root} has no loader.", "Install the build again.")


def _below(root: Path, patterns: Iterable[str]) -> Iterator[Path]:
    for pattern in patterns:
        yield from sorted(root.glob(pattern))


def _first(paths: Iterable[Path]) -> Path | None:
    return next(iter(paths), None)
