"""Images of loaded data: the oldest are removed, but never while another worker copies one."""

import os

import pytest

from workers.bench import dataset
from workers.bench.dataset import DataImage


class Sandbox:
    """Its data fill 100 bytes."""

    def __init__(self, root):
        self.root = root

    def save_image(self, key):
        (self.root / "images" / key / "data").mkdir(parents=True)
        (self.root / "images" / key).chmod(0o700)
        (self.root / "images" / key / "data/rows").write_bytes(bytes(100))


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """Two images that are full together; the first was used longer ago."""
    monkeypatch.setattr(dataset, "KEPT_BYTES", 250)
    images = [DataImage(tmp_path, f"rows-{name}", "innodb") for name in "ab"]
    for at_s, image in enumerate(images, start=1):
        image.keep(Sandbox(tmp_path))
        os.utime(tmp_path / "images" / image.key, (at_s, at_s))
    return tmp_path, images


def keep_another(root, name):
    DataImage(root, f"rows-{name}", "innodb").keep(Sandbox(root))


def left(root):
    return sorted(path.name for path in (root / "images").iterdir())


def test_the_least_recently_used_is_removed(kept):
    root, [first, _] = kept
    with first.in_use() as there:
        assert there
    keep_another(root, "c")
    assert left(root) == ["rows-a", "rows-c"]


def test_no_image_is_removed_while_another_worker_copies_one(kept):
    root, [first, _] = kept
    with first.in_use():
        keep_another(root, "c")
        assert left(root) == ["rows-a", "rows-b", "rows-c"]
    keep_another(root, "d")
    assert left(root) == ["rows-c", "rows-d"]


def test_an_image_that_is_not_there_is_not_in_use(tmp_path):
    with DataImage(tmp_path, "rows-a", "innodb").in_use() as there:
        assert not there
    assert not list(tmp_path.iterdir())
