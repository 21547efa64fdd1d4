"""Parts: libraries of packages that a server can load."""

from dataclasses import replace
from pathlib import Path

import pytest

from workers.errors import SandboxError
from workers.sandbox import builds
from workers.sandbox.builds import install, parts, store
from workers.sandbox.builds.debian import DebianSuite


class Packages(DebianSuite):
    """Unpacks one empty file instead of Debian's packages."""

    holds = "usr/lib/libgalera_smm.so"

    def missing(self) -> str:
        return ""

    def put(self, downloads: Path, root: Path, tell, mirror="") -> None:
        (root / self.holds).parent.mkdir(parents=True)
        (root / self.holds).touch(0o600)


class OtherPackages(Packages):
    holds = "usr/lib/other.so"


@pytest.fixture
def galera(store_folder, monkeypatch):
    def made(source: DebianSuite) -> None:
        monkeypatch.setitem(parts.PARTS, "galera-4", replace(parts.PARTS["galera-4"], source=source))

    return made


def test_a_part_that_is_missing_names_the_command_that_installs_it(store_folder):
    with pytest.raises(SandboxError, match=r"galera-4 is not installed.*manage.py build install galera-4"):
        parts.find("galera-4")


def test_an_installed_part_is_found_and_is_no_build(galera, told):
    galera(Packages("bookworm", ()))
    install.install("galera-4", told.append)
    library = parts.find("galera-4")
    assert library.is_file() and library.stat().st_mode & 0o004
    assert store.installed() == [] and "galera-4" not in builds.every()
    install.remove("galera-4", told.append)
    with pytest.raises(SandboxError, match="not installed"):
        parts.find("galera-4")


def test_packages_without_the_library_are_not_installed(galera, store_folder, told):
    galera(OtherPackages("bookworm", ()))
    with pytest.raises(SandboxError, match=r"has no usr/lib/libgalera_smm\.so"):
        install.install("galera-4", told.append)
    assert not (store_folder / "galera-4").exists()


def test_the_name_of_a_part_is_taken(galera, tmp_path, told):
    with pytest.raises(SandboxError, match="a build in the catalogue"):
        install.add("galera-4", told.append, basedir=tmp_path)
