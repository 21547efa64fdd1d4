"""Servers that encrypt their binary log, each by the key store that comes with its build. Skips where none does."""

import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path
from typing import Final

import pytest

from workers.sandbox.additions import Additions
from workers.sandbox.builds import Build
from workers.sandbox.builds.layout import Layout
from workers.sandbox.server import Sandbox

ENCRYPTS = {"mariadb": "encrypt_binlog", "mysql": "binlog_encryption"}
ON = {"log_bin": "ON", "binlog_checksum": "CRC32"}
KEY = "1;" + "a7" * 32 + "\n"
PLUGIN = "file_key_management.so"
TEXT: Final = {"capture_output": True, "text": True}
OF_THE_SYSTEM = Path("usr/lib/mysql/plugin")  # package mariadb-server


@contextmanager
def encrypted(root: Path, folder: Path, build: Build) -> Iterator[Sandbox]:
    """A running server. `folder`: empty, open to the sandboxes' user."""
    known, store, where = key_store(build, folder)
    added = replace(store, lines=(*store.lines, f"{ENCRYPTS[build.flavour]}=ON"))
    with Sandbox.create(root, known, ON, name="encrypted", trace=False, additions=added, datadir_on=where) as server:
        yield server


def key_store(build: Build, folder: Path) -> tuple[Build, Additions, Path | None]:
    """(The build with its keys, what its server needs for them, where its datadir is): it can encrypt its log now."""
    if build.flavour == "mariadb":
        return build, _key_file(build, folder), None
    if build.version < (8, 4, 0):
        lines = ("early_plugin_load=keyring_file.so", "keyring_file_data=keyring")
        return build, Additions((*lines, f"plugin_dir={_plugins(build, 'keyring_file.so')}")), None
    return _component(build, folder)


def _key_file(build: Build, folder: Path) -> Additions:
    if build.key == "system-mariadb" and not (Path("/") / OF_THE_SYSTEM / PLUGIN).is_file():
        _take_from_the_package(folder)
    else:
        shutil.copy(_plugins(build, PLUGIN) / PLUGIN, folder)
    (folder / "keys").write_text(KEY)
    for file in folder.iterdir():
        file.chmod(0o644)
    places = (f"plugin_dir={folder}", f"plugin_load_add={PLUGIN}", f"file_key_management_filename={folder}/keys")
    return Additions(places, (folder,))


def _take_from_the_package(folder: Path) -> None:
    """Of the version of the server. The package is only unpacked: installed, it would start its service."""
    with tempfile.TemporaryDirectory() as unpacked:
        core = subprocess.run(["dpkg-query", "-W", "-f=${Version}", "mariadb-server-core"], **TEXT)
        fetch = ["apt-get", "download", f"mariadb-server={core.stdout}"]
        if (fetched := subprocess.run(fetch, cwd=unpacked, **TEXT)).returncode:
            subprocess.run(["apt-get", "-q", "update"], **TEXT)
            fetched = subprocess.run(fetch, cwd=unpacked, **TEXT)
        if fetched.returncode:
            pytest.skip(f"{PLUGIN} is in the package mariadb-server, which could not be fetched: {fetched.stderr}")
        (package,) = Path(unpacked).glob("*.deb")
        subprocess.run(["dpkg-deb", "-x", package, unpacked], check=True)
        shutil.copy(unpacked / OF_THE_SYSTEM / PLUGIN, folder)


def _component(build: Build, folder: Path) -> tuple[Build, Additions, Path]:
    """MySQL looks for its key store beside its program, so it runs from a copy."""
    plugins = _plugins(build, "component_keyring_file.so")
    top, mine = build.mysqld.parents[2], folder / "root"
    subprocess.run(["cp", "-a", "--reflink=auto", top, mine], check=True)

    def moved(found: object) -> object:
        if isinstance(found, tuple):
            return tuple(map(moved, found))
        return mine / found.relative_to(top) if isinstance(found, Path) and found.is_relative_to(top) else found

    layout = replace(build.layout, **{field.name: moved(getattr(build.layout, field.name)) for field in fields(Layout)})
    where = folder / "on"
    where.mkdir(mode=0o755)
    layout.mysqld.with_name("mysqld.my").write_text(json.dumps({"components": "file://component_keyring_file"}))
    store = {"path": str(where / "data" / "keyring"), "read_only": False}
    own = mine / plugins.relative_to(top)
    (own / "component_keyring_file.cnf").write_text(json.dumps(store))
    return replace(build, layout=layout), Additions((f"plugin_dir={own}",)), where


def _plugins(build: Build, name: str) -> Path:
    places = (build.layout.plugin_dir, build.basedir / "lib" / "plugin", Path("/") / OF_THE_SYSTEM)
    found = next((place for place in places if place and (place / name).is_file()), None)
    if found is None:
        pytest.skip(f"{build.title} came without its key store {name}.")
    return found
