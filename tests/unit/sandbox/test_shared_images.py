"""Of the tests' own: an image is made once in a run of tests, and copied by each other process."""

from tests.real.shared_images import RUN, SharedImages, shared
from workers.sandbox import images
from workers.sandbox.users import unprivileged_user


def test_an_image_is_made_once_in_a_run_and_copied_to_each_folder(tmp_path, monkeypatch):
    fresh, made = f"system-{unprivileged_user().uid}", []

    def make(to):
        to.mkdir()
        (to / "ibdata1").write_text(f"made {len(made)}")
        made.append(to)

    def read(process, key):
        return (images.ensure(tmp_path / process, key, make) / "ibdata1").read_text()

    monkeypatch.setenv(RUN, "run")
    with shared(tmp_path / "one"):
        another_process = SharedImages(tmp_path / "ds-images-run")
        for key in (fresh, "witness-0"):
            assert read("one", key) == read("two", key) == read("two", key)
        assert len(made) == 2
        assert images.find(tmp_path / "three", "witness-0"), "a process that only asks whether there is one copies it"
        assert read("one", "own") != read("two", "own"), "the negative control: a test names its image itself"
    assert (tmp_path / "ds-images-run").is_dir(), "another process has not ended"
    another_process.close()
    assert not (tmp_path / "ds-images-run").exists()
