"""A tarball may be hostile: nothing of it is written outside its folder."""

import io
import tarfile

import pytest

from workers.errors import SandboxError
from workers.sandbox.builds.archive import unpack


@pytest.fixture
def unpacked(tmp_path):
    """Unpacks members: (name, type, link or content)."""

    def make(*members):
        with tarfile.open(tmp_path / "a.tar.gz", "w:gz") as archive:
            for name, kind, rest in members:
                info = tarfile.TarInfo(name)
                info.type, info.mode = kind, 0o6777
                if kind == tarfile.REGTYPE:
                    info.size = len(rest)
                else:
                    info.linkname = rest
                archive.addfile(info, io.BytesIO(rest.encode()) if kind == tarfile.REGTYPE else None)
        (tmp_path / "target").mkdir()
        unpack(tmp_path / "a.tar.gz", tmp_path / "target")
        return tmp_path / "target"

    return make


def test_files_folders_and_links_are_as_in_the_tarball(unpacked):
    target = unpacked(
        ("./lib", tarfile.DIRTYPE, ""),
        ("./lib/a.so.1", tarfile.REGTYPE, "library"),
        ("./lib/a.so", tarfile.SYMTYPE, "a.so.1"),
        ("./lib/private/b.so", tarfile.SYMTYPE, "../a.so"),
        ("./lib/copy.so", tarfile.LNKTYPE, "./lib/a.so.1"),
    )
    for name in ("lib/a.so.1", "lib/a.so", "lib/private/b.so", "lib/copy.so"):
        assert (target / name).read_text() == "library"
    assert str((target / "lib/private/b.so").readlink()) == "../a.so"
    assert (target / "lib/a.so.1").stat().st_mode & 0o7777 == 0o755


@pytest.mark.parametrize(
    "members",
    [
        [("../out", tarfile.REGTYPE, "x")],
        [("/out", tarfile.REGTYPE, "x")],
        [("a", tarfile.SYMTYPE, "..")],
        [("a", tarfile.SYMTYPE, "/etc")],
        [("d/a", tarfile.SYMTYPE, "../../out")],
        [("p/q", tarfile.SYMTYPE, "."), ("a", tarfile.SYMTYPE, "p/q/../../out")],
    ],
)
def test_what_leads_outside_is_refused(unpacked, tmp_path, members):
    with pytest.raises(SandboxError, match="outside the target folder"):
        unpacked(*members)
    assert not (tmp_path / "out").exists()


TO_OUT = ("a", tarfile.SYMTYPE, "../out")
BELOW_IT = ("a/x", tarfile.SYMTYPE, "y")


@pytest.mark.parametrize(
    "members",
    [
        [TO_OUT, BELOW_IT],
        [BELOW_IT, TO_OUT],
        [TO_OUT, ("a/b/x", tarfile.SYMTYPE, "y")],
        [("p", tarfile.SYMTYPE, "."), ("p/a", tarfile.SYMTYPE, "../out"), BELOW_IT],
        [(".", tarfile.SYMTYPE, "../out"), ("x", tarfile.SYMTYPE, "y")],
        [("b", tarfile.SYMTYPE, "a"), TO_OUT, ("b/x", tarfile.SYMTYPE, "y")],
        [TO_OUT, ("a/x", tarfile.DIRTYPE, "")],
        [TO_OUT, ("a", tarfile.DIRTYPE, ""), BELOW_IT],
        [TO_OUT, ("a/x", tarfile.LNKTYPE, "a")],
        [("f", tarfile.REGTYPE, "x"), TO_OUT, ("a/x", tarfile.LNKTYPE, "f")],
        [TO_OUT, ("a/./b/../x", tarfile.SYMTYPE, "y")],
        [("../out/x", tarfile.DIRTYPE, "")],
        [("../out/x", tarfile.SYMTYPE, "y")],
        [("f", tarfile.REGTYPE, "x"), ("../out/x", tarfile.LNKTYPE, "f")],
    ],
)
def test_nothing_is_made_through_a_link_in_any_order(unpacked, tmp_path, members):
    (tmp_path / "out").mkdir()
    with pytest.raises(SandboxError):
        unpacked(*members)
    assert not list((tmp_path / "out").iterdir())


@pytest.mark.parametrize("linked", ["..", "/etc", "d"])
def test_no_file_is_written_through_a_link(unpacked, tmp_path, linked):
    with pytest.raises(SandboxError, match="cannot be unpacked"):
        unpacked(("a", tarfile.SYMTYPE, linked), ("a/out", tarfile.REGTYPE, "x"))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("kind", [tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE])
def test_a_device_or_a_pipe_is_refused(unpacked, kind):
    with pytest.raises(SandboxError, match="a device or a pipe"):
        unpacked(("a", kind, ""))


@pytest.mark.parametrize("to", ["missing", "itself"])
def test_a_link_to_no_file_is_told(unpacked, to):
    with pytest.raises(SandboxError, match="cannot be unpacked"):
        unpacked(("itself", tarfile.SYMTYPE, "itself"), ("a", tarfile.LNKTYPE, to))
