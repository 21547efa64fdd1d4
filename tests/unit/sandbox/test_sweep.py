"""Only what a dead worker left is swept."""

import os
import resource
import time
from pathlib import Path

import pytest

from workers.sandbox import owner
from workers.sandbox.owner import Owner
from workers.sandbox.process import start_time
from workers.sandbox.sweep import NO_NOTE_S, sweep

ME = os.getpid()
NO_PID = 2**22 + 1  # above the kernel's largest pid_max


def leave(root, note: Owner | None, place="live"):
    folder = owner.new_folder(root / place)
    (folder / "data").mkdir()
    if note:
        owner.write(folder, note)
    return folder


def test_the_sweep_spares_the_folder_of_a_living_worker(tmp_path):
    folder = leave(tmp_path, None)
    assert sweep(tmp_path) == []
    assert folder.is_dir()


def test_the_sweep_spares_a_folder_that_is_being_made(tmp_path, monkeypatch):
    """Another thread sweeps just when the note is there."""
    write = owner.write

    def write_and_sweep(folder, note):
        write(folder, note)
        assert sweep(tmp_path) == []

    monkeypatch.setattr(owner, "write", write_and_sweep)
    assert owner.new_folder(tmp_path / "live").is_dir()


@pytest.mark.parametrize(
    "note",
    [
        Owner(NO_PID, 1, owner.boot_id()),
        Owner(ME, start_time(ME) + 1, owner.boot_id()),  # the pid was given to another process
        Owner(ME, start_time(ME), "another boot"),
    ],
)
def test_the_folder_of_a_dead_worker_is_swept(tmp_path, note):
    folder = leave(tmp_path, note)
    assert sweep(tmp_path) == [folder.name]
    assert not folder.exists()


def test_half_made_images_are_swept(tmp_path):
    folder = leave(tmp_path, Owner(NO_PID, 1, owner.boot_id()), "images/making")
    assert sweep(tmp_path) == [folder.name]


@pytest.mark.parametrize("text", [None, "", "{", "[]", '{"pid": 1}', '{"pid": "1", "started": 1, "boot": ""}'])
def test_a_folder_without_a_readable_note_goes_after_a_while(tmp_path, text):
    """It may be in the making just now; later it was left in the making, or removed by half."""
    folder = leave(tmp_path, None)
    (folder / owner.FILE).unlink()
    if text is not None:
        (folder / owner.FILE).write_text(text)
    assert sweep(tmp_path) == []
    assert folder.is_dir()
    long_ago = time.time() - NO_NOTE_S - 1
    os.utime(folder, (long_ago, long_ago))
    assert sweep(tmp_path) == [folder.name]
    assert not folder.exists()


def test_a_file_or_a_link_is_no_folder_of_ours(tmp_path):
    (tmp_path / "live").mkdir()
    (tmp_path / "data").mkdir()
    (tmp_path / "live" / "link").symlink_to(tmp_path / "data")
    (tmp_path / "live" / "file").write_text("")
    long_ago = time.time() - NO_NOTE_S - 1
    for one in (tmp_path / "live").iterdir():
        os.utime(one, (long_ago, long_ago), follow_symlinks=False)
    assert sweep(tmp_path) == [] and (tmp_path / "data").is_dir()


def test_a_removal_that_was_cut_off_is_ended_by_the_sweep(tmp_path, monkeypatch):
    """Killed in the middle: the note may be gone, and half of the data is there."""
    folder = leave(tmp_path, None)
    with monkeypatch.context() as killed:
        killed.setattr(owner.untrusted, "remove_tree", lambda gone: (gone / owner.FILE).unlink())
        owner.remove(folder)
    [gone] = (tmp_path / "live").iterdir()
    assert (gone / "data").is_dir() and not (gone / owner.FILE).exists()
    assert sweep(tmp_path) == [gone.name]
    assert list((tmp_path / "live").iterdir()) == []


@pytest.mark.parametrize("path", ["as it was", "relative"])
def test_a_folder_that_could_not_be_removed_goes_later_and_one_in_use_stays(tmp_path, monkeypatch, path):
    used, left = leave(tmp_path, None), leave(tmp_path, None)
    owner.release(left)
    root = tmp_path
    if path == "relative":
        monkeypatch.chdir(tmp_path)
        root = Path()
    assert sweep(root) == [left.name]
    assert used.is_dir() and not left.exists()


def test_a_folder_that_could_not_be_made_for_want_of_descriptors_goes(tmp_path):
    (tmp_path / "live").mkdir()
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, limits[1]))
    try:
        with pytest.raises(OSError, match="Too many open files"):
            owner.new_folder(tmp_path / "live")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    sweep(tmp_path)
    assert list((tmp_path / "live").iterdir()) == []


def test_the_sweep_kills_no_server_of_another_boot(tmp_path):
    """After a reboot the pid and even the start time may be those of another process: here, ours."""
    leave(tmp_path, Owner(NO_PID, 1, "another boot", ME, start_time(ME)))
    assert len(sweep(tmp_path)) == 1


def test_the_sweep_of_an_empty_folder_finds_nothing(tmp_path):
    assert sweep(tmp_path) == []
