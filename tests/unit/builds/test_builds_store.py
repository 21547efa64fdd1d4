"""A build is there whole or not at all, and one that a user brings is asked what it is."""

import dataclasses
import json
import os
import shutil
import tarfile
import threading
from pathlib import Path

import pytest

from workers.errors import SandboxError
from workers.sandbox import builds
from workers.sandbox.builds import catalogue, install, store
from workers.sandbox.builds.catalogue import CatalogueEntry
from workers.sandbox.builds.store import Manifest

OURS = Manifest("Ours", "mysql", (5, 7, 30), "test", "GPL-2.0", plugins=("ha_x.so",))


class Source:
    """Where a build comes from, in the test: a folder that is copied; `during` is called meanwhile."""

    own_libc = False

    def __init__(self, folder: Path, during=lambda: None, lacks: str = "") -> None:
        self.folder, self.during, self.lacks = folder, during, lacks

    def missing(self) -> str:
        return self.lacks

    def put(self, downloads, root, tell, mirror="") -> None:
        self.during()
        shutil.copytree(self.folder, root, dirs_exist_ok=True)


@pytest.fixture
def offered(store_folder, server_folder, monkeypatch):
    """Returns a function that offers a build named `ours` in the catalogue."""

    def offer(version: str = "5.7.30", expected: str = "5.7", **how) -> CatalogueEntry:
        source = Source(server_folder(version), **how)
        entry = CatalogueEntry("Ours", "mysql", expected, source, 1, 1, "For tests.")
        monkeypatch.setitem(catalogue.CATALOGUE, "ours", entry)
        return entry

    return offer


def litter(folder: Path) -> list[str]:
    """What lies in the builds folder that is neither a build, a lock, nor kept downloads."""
    return [path.name for path in folder.iterdir() if path.name.startswith((".making", ".leaving"))]


def test_a_build_of_the_catalogue_is_installed(offered, told, store_folder):
    offered()
    install.install("ours", told.append)
    build = builds.find("ours")
    assert (build.flavour, build.version, build.title) == ("mysql", (5, 7, 30), "Ours")
    assert build.mysqld == store_folder / "ours/root/bin/mysqld"
    assert any("Licence GPL-2.0" in line for line in told)
    assert store.installed() == ["ours"] and litter(store_folder) == []


def test_the_sandboxes_user_may_read_it_whatever_the_umask(offered, told, store_folder):
    before = os.umask(0o077)
    try:
        offered()
        install.install("ours", told.append)
    finally:
        os.umask(before)
    for path in (store_folder, store_folder / "ours", store_folder / "ours/root/bin/mysqld"):
        assert path.stat().st_mode & 0o005 == 0o005


def test_a_build_of_another_version_is_refused(offered, told, store_folder):
    offered("8.0.1")
    with pytest.raises(SandboxError, match=r"The downloaded build is mysql 8\.0\.1, not ours"):
        install.install("ours", told.append)
    assert store.installed() == [] and litter(store_folder) == []


def test_a_prefix_of_a_version_is_not_a_part_of_it(offered, told):
    offered("5.70.1")
    with pytest.raises(SandboxError, match=r"The downloaded build is mysql 5\.70\.1"):
        install.install("ours", told.append)


def test_a_build_without_its_plugin_is_refused(offered, told, monkeypatch):
    entry = dataclasses.replace(offered(), plugins=("ha_rocksdb.so",))
    monkeypatch.setitem(catalogue.CATALOGUE, "ours", entry)
    with pytest.raises(SandboxError, match=r"has no ha_rocksdb\.so"):
        install.install("ours", told.append)
    assert store.installed() == []


@pytest.mark.parametrize("key", ["nope", "", "../x", "system-mariadb"])
def test_a_build_that_the_catalogue_lacks_is_refused(store_folder, told, key):
    with pytest.raises(SandboxError, match="The catalogue has no build called"):
        install.install(key, told.append)
    assert not store_folder.exists()


def test_a_missing_program_is_named_before_anything_is_made(offered, told, store_folder):
    offered(lacks="There is no mvn here.")
    with pytest.raises(SandboxError, match="There is no mvn here"):
        install.install("ours", told.append)
    assert not store_folder.exists()


def test_a_full_disk_is_reported_before_anything_is_made(offered, told, monkeypatch):
    offered(during=lambda: pytest.fail("it began"))
    usage = shutil.disk_usage("/")._replace(free=100 << 20)
    monkeypatch.setattr(store.shutil, "disk_usage", lambda path: usage)
    with pytest.raises(SandboxError, match="The disk is full"):
        install.install("ours", told.append)


def test_a_failed_install_leaves_nothing(offered, told, store_folder):
    offered(during=lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        install.install("ours", told.append)
    assert store.installed() == [] and litter(store_folder) == []


def test_the_next_install_removes_the_files_of_a_killed_install(offered, told, store_folder):
    offered()
    (store_folder / ".making-ours/root/half").mkdir(parents=True)
    install.install("ours", told.append)
    assert not (store_folder / "ours/root/half").exists()


def test_two_at_once_do_not_collide(offered, told):
    """The second waits for the first, and then finds it there."""
    begun, go, second = threading.Event(), threading.Event(), []
    offered(during=lambda: (begun.set(), go.wait(60)))
    first = threading.Thread(target=install.install, args=("ours", told.append))
    first.start()
    assert begun.wait(60)

    def also() -> None:
        try:
            install.install("ours", lambda line: (told.append(line), go.set() if "waiting" in line else None))
        except SandboxError as refused:
            second.append(str(refused))

    other = threading.Thread(target=also)
    other.start()
    for thread in (first, other):
        thread.join(60)
    assert any("Another process" in line for line in told)
    assert len(second) == 1 and "installed already" in second[0]
    assert builds.find("ours").version == (5, 7, 30)


def test_the_manifest_comes_back_as_it_was_written(store_folder):
    store.publish("ours", lambda root: OURS)
    assert store.read("ours") == OURS
    assert store.read("other") is None


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"version": 5, "plugins": []}', '{"version": [1], "no": 1}'])
def test_a_damaged_manifest_says_so(store_folder, text):
    store.publish("ours", lambda root: OURS)
    (store_folder / "ours/build.json").write_text(text)
    with pytest.raises(SandboxError, match=r"manage\.py build remove ours"):
        builds.find("ours")
    assert "ours" not in builds.every()


def test_fields_of_a_later_version_are_refused_not_dropped(store_folder):
    store.publish("ours", lambda root: OURS)
    file = store_folder / "ours/build.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"later": 1}))
    with pytest.raises(SandboxError, match="cannot be read"):
        store.read("ours")


def test_an_added_folder_stays_where_it_is(store_folder, server_folder, told):
    folder = server_folder("5.7.30")
    install.add("mine", told.append, basedir=folder)
    assert builds.find("mine").mysqld == folder / "bin/mysqld"
    assert builds.every()["mine"].title == f"MySQL 5.7.30, {folder}"
    (folder / "bin/mysqld").write_text((folder / "bin/mysqld").read_text().replace("5.7.30", "5.7.31"))
    assert builds.find("mine").version == (5, 7, 31)
    install.remove("mine", told.append)
    assert (folder / "bin/mysqld").exists() and "mine" not in builds.every()


def test_an_added_folder_that_is_gone_is_reported(store_folder, server_folder, told):
    folder = server_folder()
    install.add("mine", told.append, basedir=folder)
    shutil.rmtree(folder)
    with pytest.raises(SandboxError, match="no mariadbd or mysqld below"):
        builds.find("mine")


@pytest.mark.parametrize("wrapped", [True, False])
def test_a_tarball_is_unpacked(store_folder, server_folder, told, tmp_path, wrapped):
    folder = server_folder("5.7.30", "mysql-5.7.30-linux")
    with tarfile.open(tmp_path / "server.tar.gz", "w:gz") as archive:
        archive.add(folder, arcname=folder.name if wrapped else ".")
    install.add("mine", told.append, tarball=tmp_path / "server.tar.gz")
    assert builds.find("mine").mysqld == store_folder / "mine/root/bin/mysqld"
    assert litter(store_folder) == []


@pytest.mark.parametrize("key", ["mysql-5.6.14", "system-mariadb"])
def test_the_name_of_another_build_is_refused(store_folder, server_folder, told, key):
    with pytest.raises(SandboxError, match="Choose another name"):
        install.add(key, told.append, basedir=server_folder())


@pytest.mark.parametrize("key", ["", "A", "..", "a/b", "a\n", "-a", ".making-x", "a" * 61])
def test_an_odd_name_is_refused(store_folder, server_folder, told, key):
    with pytest.raises(SandboxError, match="cannot name a build"):
        install.add(key, told.append, basedir=server_folder())


def test_a_folder_without_a_server_is_refused(store_folder, told, tmp_path):
    with pytest.raises(SandboxError, match="no mariadbd or mysqld"):
        install.add("mine", told.append, basedir=tmp_path)
    with pytest.raises(SandboxError, match="There is no"):
        install.add("mine", told.append, basedir=tmp_path / "absent")
    assert store.installed() == []


def test_removing_keeps_downloads_unless_told(offered, told):
    offered()
    install.install("ours", told.append)
    install.remove("ours", told.append)
    assert store.downloads("ours").is_dir()
    install.remove("ours", told.append, with_downloads=True)
    assert not store.downloads("ours").exists()


@pytest.mark.parametrize("key", ["nope", "", "..", ".downloads"])
def test_only_an_installed_build_is_removed(store_folder, told, key):
    store.publish("ours", lambda root: OURS)
    with pytest.raises(SandboxError, match="No build called"):
        install.remove(key, told.append)
    assert store.installed() == ["ours"]
