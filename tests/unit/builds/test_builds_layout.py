"""Parts are found whatever the packager's layout, and a server with its own C library is run beside it."""

from pathlib import Path

import pytest

from workers.errors import SandboxError
from workers.sandbox.builds.build import Build
from workers.sandbox.builds.layout import Layout, discover

LOADER = "lib/x86_64-linux-gnu/ld-linux-x86-64.so.2"


def folder(root: Path, *files: str) -> Path:
    for name in files:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()
    return root


def test_a_tarball(tmp_path):
    found = discover(folder(tmp_path, "bin/mysqld", "share/english/errmsg.sys", "lib/plugin/auth.so"))
    assert found == Layout(tmp_path / "bin/mysqld", tmp_path / "share", tmp_path / "lib/plugin")


def test_a_debian_root_has_its_own_c_library(tmp_path):
    files = ("usr/sbin/mariadbd", "usr/share/mysql/english/errmsg.sys", LOADER, "usr/lib/x86_64-linux-gnu/libssl.so.3")
    root = folder(tmp_path, *files, "usr/lib/mysql/plugin/x.so", "lib/x86_64-linux-gnu/libc.so.6")
    found = discover(root, own_libc=True)
    assert (found.loader, found.mysqld) == (root / LOADER, root / "usr/sbin/mariadbd")
    assert found.libraries == (root / "lib/x86_64-linux-gnu", root / "usr/lib/x86_64-linux-gnu")
    assert found.libc == (root / "lib/x86_64-linux-gnu/libc.so.6",)
    assert discover(root).loader is None and discover(root).libc == ()


def test_the_older_name_of_a_loader(tmp_path):
    root = folder(tmp_path, "usr/sbin/mysqld", "lib/x86_64-linux-gnu/ld-2.31.so")
    assert discover(root, own_libc=True).loader == root / "lib/x86_64-linux-gnu/ld-2.31.so"


def test_a_loader_that_leads_out_of_the_folder_is_none(tmp_path):
    """Debian's are absolute links, which would start this machine's own."""
    outside = folder(tmp_path / "machine", "ld.so") / "ld.so"
    root = folder(tmp_path / "root", "usr/sbin/mysqld")
    (root / "lib/x").mkdir(parents=True)
    (root / "lib/x/ld-linux-x86-64.so.2").symlink_to(outside)
    with pytest.raises(SandboxError, match="has no loader"):
        discover(root, own_libc=True)


def test_no_server(tmp_path):
    with pytest.raises(SandboxError, match="no mariadbd or mysqld below"):
        discover(folder(tmp_path, "bin/mysql"))


def test_a_plain_binary_is_started_as_it_is(tmp_path):
    build = Build("b", "", "mysql", (5, 6, 14), Layout(tmp_path / "bin/mysqld"))
    assert build.command() == [f"{tmp_path}/bin/mysqld"]
    assert build.command(Path("/t.so")) == [f"{tmp_path}/bin/mysqld"]
    assert build.environment(Path("/t.so"))["LD_PRELOAD"] == "/t.so"
    assert "LD_LIBRARY_PATH" not in build.environment()


def test_libraries_beside_the_binaries_are_found(tmp_path):
    layout = discover(folder(tmp_path, "bin/mysqld", "libs/libaio.so.1"))
    build = Build("b", "", "mariadb", (10, 1, 8), layout)
    assert build.environment()["LD_LIBRARY_PATH"] == f"{tmp_path}/libs"


def test_the_loader_of_a_build_is_told_its_libraries_by_arguments(tmp_path):
    """In the environment a preloaded library would reach programs that run with this machine's C library."""
    layout = Layout(Path("/r/mysqld"), loader=Path("/r/ld.so"), libraries=(Path("/r/lib"), Path("/r/usr/lib")))
    build = Build("b", "", "mysql", (9, 7, 0), layout)
    begin = ["/r/ld.so", "--library-path", "/r/lib:/r/usr/lib"]
    assert build.command() == [*begin, "/r/mysqld"]
    assert build.command(Path("/t.so")) == [*begin, "--preload", "/t.so", "/r/mysqld"]
    assert build.environment(Path("/t.so")).keys() == {"PATH", "LANG"}
