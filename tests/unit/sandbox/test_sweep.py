"""Only what a dead worker left is swept."""

import os

import pytest

from workers.sandbox import owner
from workers.sandbox.owner import Owner
from workers.sandbox.process import start_time
from workers.sandbox.sweep import sweep

ME = os.getpid()
NO_PID = 2**22 + 1  # above the kernel's largest pid_max


def leave(root, note: Owner | None, place="live"):
    folder = owner.new_folder(root / place)
    (folder / "data").mkdir()
    if note:
        owner.write(folder, note)
    return folder


def test_it_spares_the_living(tmp_path):
    folder = leave(tmp_path, None)
    assert sweep(tmp_path) == []
    assert folder.is_dir()


@pytest.mark.parametrize(
    "note",
    [
        Owner(NO_PID, 1, owner.boot_id()),
        Owner(ME, start_time(ME) + 1, owner.boot_id()),  # the pid was given to another process
        Owner(ME, start_time(ME), "another boot"),
    ],
)
def test_it_sweeps_the_dead(tmp_path, note):
    folder = leave(tmp_path, note)
    assert sweep(tmp_path) == [folder.name]
    assert not folder.exists()


def test_it_sweeps_half_made_images(tmp_path):
    folder = leave(tmp_path, Owner(NO_PID, 1, owner.boot_id()), "images/making")
    assert sweep(tmp_path) == [folder.name]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"pid": 1}', '{"pid": "1", "started": 1, "boot": ""}'])
def test_it_leaves_alone_what_it_cannot_read(tmp_path, text):
    folder = leave(tmp_path, None)
    (folder / owner.FILE).write_text(text)
    assert sweep(tmp_path) == []
    assert folder.is_dir()


def test_it_kills_no_server_of_another_boot(tmp_path):
    """After a reboot the pid and even the start time may be those of a stranger: here, ours."""
    leave(tmp_path, Owner(NO_PID, 1, "another boot", ME, start_time(ME)))
    assert len(sweep(tmp_path)) == 1


def test_it_finds_nothing_where_nothing_is(tmp_path):
    assert sweep(tmp_path) == []
