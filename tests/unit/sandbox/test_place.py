"""Folders that would not work, or would mislead, are refused with the reason."""

import os
import shutil
from collections import namedtuple
from pathlib import Path

import pytest

from workers.errors import SandboxError
from workers.sandbox import place, users

Usage = namedtuple("Usage", "total used free")


@pytest.fixture
def user():
    return users.unprivileged_user()


@pytest.fixture
def open_folder():
    """pytest's own temporary folders are closed to others."""
    folder = Path("/var/tmp") / f"ds-place-{os.getpid()}"
    yield folder
    shutil.rmtree(folder)


def test_the_folder_is_made(open_folder, user):
    place.prepare(open_folder / "root", user)
    assert (open_folder / "root").is_dir()


@pytest.mark.skipif(not place.SHARED_MEMORY.is_dir(), reason="no /dev/shm here")
def test_shared_memory_is_refused(user):
    folder = place.SHARED_MEMORY / f"ds-place-{os.getpid()}"
    with pytest.raises(SandboxError, match="never calls fsync"):
        place.prepare(folder, user)
    folder.rmdir()


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to ask as somebody else")
def test_a_closed_folder_above_is_named(open_folder, user):
    closed = open_folder / "closed"
    (closed / "deep").mkdir(parents=True)
    closed.chmod(0o700)
    with pytest.raises(SandboxError, match=f"may not enter {closed}.*chmod o\\+x {closed}$"):
        place.prepare(closed / "deep" / "root", user)
    closed.chmod(0o711)
    place.prepare(closed / "deep" / "root", user)


def test_a_full_disk_is_reported_with_the_missing_space(tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(0, 0, 300 << 20))
    place.require_space(tmp_path, 44 << 20)
    with pytest.raises(SandboxError, match=r"disk is full.*needs 301 MiB, 300 MiB are free"):
        place.require_space(tmp_path, 45 << 20)


def test_a_path_too_long_for_a_socket_is_refused():
    place.require_short(Path("/" + "x" * 106))
    with pytest.raises(SandboxError, match="longer than 107 bytes"):
        place.require_short(Path("/" + "é" * 54))


def test_a_folder_that_cannot_be_made_is_reported(tmp_path, user):
    (tmp_path / "file").touch()
    with pytest.raises(SandboxError, match="cannot be made"):
        place.prepare(tmp_path / "file" / "root", user)


def test_a_root_reached_through_a_link_is_told_where_the_link_leads(tmp_path):
    (tmp_path / "real").mkdir(mode=0o755)
    (tmp_path / "link").symlink_to("real")
    assert place.another_users(tmp_path / "real") == ""
    told = place.another_users(tmp_path / "link" / "sandboxes")
    assert told == f"{tmp_path}/link is a link to {tmp_path}/real; name the folder that it leads to"


GROUP = 54321
Named = namedtuple("Named", "pw_name pw_gid")
Grouped = namedtuple("Grouped", "gr_name gr_mem")


@pytest.mark.parametrize(
    ("group", "users_of_it", "is_safe"),
    [
        (Grouped("maria", []), ["maria"], True),
        (Grouped("maria", ["maria"]), [], True),
        (Grouped("maria", ["otto"]), ["maria"], False),
        (Grouped("maria", []), ["maria", "otto"], False),
        (Grouped("users", []), ["maria"], False),
        (None, [], False),
    ],
)
def test_members_of_a_shared_group_may_not_change_the_root(tmp_path, monkeypatch, group, users_of_it, is_safe):
    """The folder belongs to the primary group of the worker's user."""
    monkeypatch.setattr(os, "getegid", lambda: GROUP)
    monkeypatch.setattr(place.pwd, "getpwuid", lambda uid: Named("maria", GROUP))
    monkeypatch.setattr(place.pwd, "getpwall", lambda: [Named(name, GROUP) for name in users_of_it])
    monkeypatch.setattr(place.grp, "getgrgid", lambda number: {GROUP: group}.pop(number) or {}[number])
    root = tmp_path / "root"
    root.mkdir()
    root.chmod(0o775)
    known = root.lstat()
    monkeypatch.setattr(Path, "lstat", lambda path: type(known)((*known[:5], GROUP, *known[6:])))
    why = place._changed_by_others(root, (os.geteuid(),), sticky=False)
    assert why == ("" if is_safe else f"others may write in {root} (mode 775)")
