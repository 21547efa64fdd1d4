"""The real apt on an archive of the test's own: what it brings, keeps, and notices."""

import hashlib
import shutil
import subprocess
from pathlib import Path

import pytest

from workers.errors import SandboxError
from workers.sandbox.builds import debian
from workers.sandbox.builds.debian import DebianSuite

pytestmark = pytest.mark.skipif(
    not all(map(shutil.which, ("apt-get", "apt-config", "dpkg-deb"))), reason="This machine has no apt."
)
SOURCE = DebianSuite("test", ("ds-server",), without_dependencies=("ds-engine",))
ARCHIVE = ("ds-server", "ds-library", "ds-engine")
DEPENDS = {"ds-server": "Depends: ds-library\n", "ds-engine": "Depends: a-whole-system\n", "ds-library": ""}


def package(folder: Path, name: str) -> str:
    """Build NAME.deb with one file in it; returns its stanza in the index."""
    tree = folder / name
    (tree / "DEBIAN").mkdir(parents=True)
    (tree / "usr/share").mkdir(parents=True)
    (tree / "usr/share" / name).write_text(name)
    control = f"Package: {name}\nVersion: 1:1.0\nArchitecture: all\nMaintainer: T <t@example.org>\n{DEPENDS[name]}"
    (tree / "DEBIAN/control").write_text(f"{control}Description: test\n")
    file = folder / f"{name}_1.0_all.deb"
    subprocess.run(["dpkg-deb", "--root-owner-group", "--build", tree, file], check=True, capture_output=True)
    data = file.read_bytes()
    digest = hashlib.sha256(data).hexdigest()
    return f"{control}Filename: {file.name}\nSize: {len(data)}\nSHA256: {digest}\nDescription: test\n\n"


@pytest.fixture
def mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A flat archive without a signature; nothing else is different from Debian's."""
    folder = tmp_path / "mirror"
    folder.mkdir()
    (folder / "Packages").write_text("".join(package(folder, name) for name in ARCHIVE))
    trusted = f"Types: deb\nURIs: copy:{folder}\nSuites: ./\nTrusted: yes\n"
    monkeypatch.setattr(debian, "sources", lambda mirror, suite: trusted)
    return f"copy:{folder}"


def put(tmp_path: Path, mirror: str, root: str = "root") -> list[str]:
    """The files that came."""
    SOURCE.put(tmp_path / "downloads", tmp_path / root, lambda line: None, mirror)
    return sorted(path.name for path in (tmp_path / root).rglob("*") if path.is_file())


def archives(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "downloads/archives").glob("*.deb"))


def test_apt_brings_the_named_packages_and_their_dependencies(tmp_path, mirror):
    assert put(tmp_path, mirror) == ["ds-engine", "ds-library", "ds-server"]


def test_kept_archives_are_used_again_without_the_mirror(tmp_path, mirror):
    """All of it, though apt has nothing left to name, and without the archive."""
    first = put(tmp_path, mirror)
    for file in (tmp_path / "mirror").glob("*.deb"):
        file.unlink()
    assert put(tmp_path, mirror, "again") == first
    assert len(archives(tmp_path)) == 3


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_torn_download_is_loaded_again(tmp_path, mirror, place):
    put(tmp_path, mirror)
    torn = archives(tmp_path)[place]
    whole = torn.read_bytes()
    torn.write_bytes(whole[:-100] + b"x" * 100)  # of the right size: apt would not notice
    put(tmp_path, mirror, "again")
    assert torn.read_bytes() == whole


def test_an_archive_that_differs_from_the_index_is_refused(tmp_path, mirror):
    forged = tmp_path / "mirror/ds-library_1.0_all.deb"
    forged.write_bytes(forged.read_bytes()[:-100] + b"x" * 100)
    with pytest.raises(SandboxError, match="Downloaded files are kept: try again"):
        put(tmp_path, mirror)
    assert not (tmp_path / "root").exists()


def test_a_package_that_is_not_there_is_named(tmp_path, mirror):
    absent = DebianSuite("test", ("ds-absent",))
    with pytest.raises(SandboxError, match="Unable to locate package ds-absent"):
        absent.put(tmp_path / "downloads", tmp_path / "root", lambda line: None, mirror)


def test_this_machines_own_packages_do_not_count(tmp_path, mirror):
    """dpkg's own list would make apt leave out what is installed here."""
    put(tmp_path, mirror)
    assert (tmp_path / "downloads/status").read_text() == ""
