"""An image is made once, whole or not at all, and copied."""

import os
import threading
import time
from pathlib import Path

import pytest

from workers.errors import SandboxError
from workers.sandbox import images, untrusted
from workers.sandbox.users import User

ME = User("me", os.geteuid(), os.getegid(), switch=False)


def make(folder: Path) -> None:
    folder.mkdir()
    (folder / "ibdata1").write_bytes(b"x" * 4096)


def test_an_image_is_made_once(tmp_path):
    calls = []
    for _ in range(2):
        image = images.ensure(tmp_path, "key", lambda folder: (calls.append(1), make(folder)))
    assert calls == [1]
    assert image == images.find(tmp_path, "key")
    assert untrusted.size_bytes(image) == 4096
    assert [path.name for path in image.parent.iterdir()] == ["data"]


def test_an_image_that_others_could_change_is_made_anew(tmp_path):
    image = images.ensure(tmp_path, "key", make)
    (image / "ibdata1").write_bytes(b"planted")
    image.parent.chmod(0o755)
    assert images.find(tmp_path, "key") is None
    assert (images.ensure(tmp_path, "key", make) / "ibdata1").read_bytes() == b"x" * 4096


def test_two_makers_at_once_make_one_image(tmp_path):
    results = []

    def slowly(folder: Path) -> None:
        make(folder)
        time.sleep(0.05)

    threads = [threading.Thread(target=lambda: results.append(images.ensure(tmp_path, "k", slowly))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [tmp_path / "images/k/data"] * 4
    assert list((tmp_path / "images/making").iterdir()) == []


def test_a_failed_image_leaves_nothing(tmp_path):
    with pytest.raises(ZeroDivisionError):
        images.ensure(tmp_path, "key", lambda folder: (make(folder), 1 / 0))
    assert images.find(tmp_path, "key") is None
    assert list((tmp_path / "images/making").iterdir()) == []


@pytest.mark.parametrize("key", ["", "..", "a/b", "A", "making/x", "-x", "x\n"])
def test_an_odd_key_is_refused(tmp_path, key):
    with pytest.raises(SandboxError, match="cannot name an image"):
        images.find(tmp_path, key)


@pytest.mark.parametrize(
    ("how", "full"),
    [({}, [True, True, False]), ({"holes": False}, [True] * 3), ({"redo_in_full": False}, [False] * 3)],
)
def test_only_the_redo_log_of_an_image_is_written_out_in_full_unless_all_must_be_or_no_server_runs_on_it(
    tmp_path, how, full
):
    source = tmp_path / "source"
    (source / "#innodb_redo").mkdir(parents=True)
    sparse = ("ib_logfile0", "#innodb_redo/#ib_redo0", "ibdata1")
    for name in sparse:
        with (source / name).open("wb") as file:
            file.truncate(1 << 20)
    images.copy(source, tmp_path / "copy", ME, **how)
    written = [(tmp_path / "copy" / name).stat().st_blocks * 512 for name in sparse]
    assert [size >= 1 << 20 for size in written] == full
    assert all((tmp_path / "copy" / name).stat().st_size == 1 << 20 for name in sparse)


def test_a_failed_copy_says_why(tmp_path):
    with pytest.raises(SandboxError, match="could not be examined"):
        images.copy(tmp_path / "absent", tmp_path / "copy", ME)
    (tmp_path / "source").mkdir()
    with pytest.raises(SandboxError, match="could not be copied"):
        images.copy(tmp_path / "source", tmp_path / "absent/copy", ME)
