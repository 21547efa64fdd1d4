"""The attacker in the files: links, FIFOs, notes and folders of the user who runs sandboxes."""

import json
import os
import socket
import subprocess

import pytest

from tests.unit.sandbox.attacker import SECRET, as_root, ended
from workers.crash import inspect
from workers.crash.binlog import files_of, read
from workers.crash.inspect import BinlogPlace
from workers.errors import SandboxError
from workers.sandbox import images, owner, place, process, sweep, untrusted
from workers.sandbox.log_places import LogPlaces
from workers.sandbox.owner import Owner
from workers.sandbox.room import Room

NO_PID = 2**22 + 1  # above the kernel's largest pid_max


@as_root
def test_chown_follows_no_link(theirs, as_user, open_path, vault, untouched, user):
    as_user(f"mkdir '#innodb_redo' && ln -s {vault}/secret '#innodb_redo/x' && ln -s {vault} ib_logfile0", theirs)
    places = LogPlaces(redo=open_path / "redo")
    ended(lambda: places.prepare(theirs, user))
    (open_path / "copy").mkdir()
    ended(lambda: places.bring_back(open_path / "copy", user))
    assert untouched()


@as_root
@pytest.mark.parametrize("plant", ["ln -s {vault}/secret ib_logfile0", "mkfifo ib_logfile0", "ln -s {vault} mysql"])
def test_an_image_holds_files_and_folders_only(theirs, as_user, open_path, vault, untouched, user, plant):
    as_user(plant.format(vault=vault), theirs)
    error = ended(lambda: images.copy(theirs, open_path / "image", user))
    assert isinstance(error, SandboxError) and "neither a file nor a folder" in str(error)
    assert untouched() and not (open_path / "image").exists()


@as_root
def test_a_folder_that_becomes_a_link_while_it_is_copied_gives_nothing(
    theirs, as_user, open_path, vault, user, monkeypatch
):
    """As if it was exchanged after everything had been looked at."""
    monkeypatch.setattr(untrusted, "size_bytes", lambda folder: None)
    as_user(f"ln -s {vault} mysql; ln -s {vault}/secret ib_logfile0; mkfifo ib_logfile1", theirs)
    ended(lambda: images.copy(theirs, open_path / "image", user))
    copied = [path for path in (open_path / "image").rglob("*") if path.is_file() and not path.is_symlink()]
    assert all(SECRET not in path.read_text() for path in copied)


@as_root
@pytest.mark.parametrize("name", ["binlog.index", "binlog.000001"])
@pytest.mark.parametrize(
    "plant", ["ln -s {vault}/secret {name}", "mkfifo {name}", "mkdir {name}", "ln -s /dev/zero {name}"]
)
def test_a_binlog_is_a_file_of_the_datadir(theirs, as_user, open_path, vault, name, plant):
    as_user("echo ./binlog.000001 > binlog.index; : > binlog.000001", theirs)
    as_user(f"rm {name}; {plant.format(vault=vault, name=name)}", theirs)
    kept = open_path / "kept"
    kept.mkdir()
    log = BinlogPlace(theirs / "binlog.index")
    assert isinstance(ended(lambda: inspect.keep_binlog(log, kept)), OSError)
    assert isinstance(ended(lambda: read(files_of(theirs / "binlog.index"), "schema", b"secret")), OSError)
    assert all(SECRET not in path.read_text() for path in kept.iterdir())


@as_root
def test_an_index_cannot_name_files_elsewhere(theirs, as_user, open_path, vault):
    as_user(f"echo {vault}/secret > binlog.index", theirs)
    assert "another folder" in str(ended(lambda: inspect.keep_binlog(BinlogPlace(theirs / "binlog.index"), open_path)))


def test_a_binlog_of_terabytes_is_not_read_or_copied(theirs, as_user, open_path):
    as_user("echo ./binlog.000001 > binlog.index; truncate -s 8T binlog.000001", theirs)
    assert "it is not read" in str(ended(lambda: read(files_of(theirs / "binlog.index"), "schema", b"secret")))
    as_user("truncate -s 1T binlog.index", theirs)
    assert "larger than" in str(ended(lambda: files_of(theirs / "binlog.index")))


@as_root
def test_a_note_in_their_folder_kills_nobody(open_path, user, as_user):
    with subprocess.Popen(["sleep", "60"]) as victim:
        folder = user.folder(owner.enterable(open_path / "root/live") / "planted")
        note = Owner(NO_PID, 1, owner.boot_id(), victim.pid, process.start_time(victim.pid))
        as_user(f"echo '{json.dumps(note.__dict__)}' > owner.json", folder)
        assert sweep.sweep(open_path / "root") == []
        assert victim.poll() is None
        victim.kill()


@as_root
def test_removing_follows_no_link_and_ends_at_any_depth(theirs, as_user, vault, untouched):
    as_user(f"ln -s {vault} link; mkfifo fifo; mkdir closed; chmod 0 closed", theirs)
    as_user('perl -e \'for (1..1100) { mkdir "d"; chdir "d" }\'', theirs)
    assert untrusted.remove_tree(theirs)
    assert untouched() and not theirs.exists()


def test_a_tree_that_no_server_makes_is_not_copied(theirs, as_user, monkeypatch):
    as_user("for i in $(seq 20); do mkdir d && cd d; done", theirs)
    with pytest.raises(SandboxError, match="deeper than 16 levels"):
        untrusted.size_bytes(theirs)
    monkeypatch.setattr(untrusted, "MOST_FILES", 10)
    as_user("rm -r d; for i in $(seq 11); do : > $i; done", theirs)
    with pytest.raises(SandboxError, match="more than 10 files"):
        untrusted.size_bytes(theirs)


@as_root
def test_a_second_name_of_somebody_elses_file_is_not_read(theirs, vault):
    os.link(vault / "secret", theirs / "binlog.index")  # a kernel with protected_hardlinks=0 lets anybody do so
    assert isinstance(ended(lambda: files_of(theirs / "binlog.index")), PermissionError)


def test_a_socket_that_leads_elsewhere_is_not_connected_to(open_path, user, as_user):
    """Another service, which answers to the worker's user only."""
    room = Room(open_path / "room", user)
    room.socket.parent.mkdir()
    room.furnish()
    (run,) = (folder for folder in room.of_the_user if folder.name == "run")
    with socket.socket(socket.AF_UNIX) as service:
        service.bind(str(open_path / "service"))
        service.listen()
        as_user(f"ln -s {open_path}/service sock", run)
        assert not room.has_socket() and not os.path.lexists(room.socket)
        as_user("rm sock; : > sock", run)
        assert not room.has_socket()
    as_user("rm sock; perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(Local => \"sock\", Listen => 1)'", run)
    assert room.has_socket() and room.socket.is_socket()


@as_root
@pytest.mark.parametrize("planted", ["root", "root/tools", "root/images", "root/live", "open", "link"])
def test_a_folder_that_another_user_made_first_is_not_used(open_path, user, planted):
    """Under /var/tmp anybody can: a library planted in `tools` would be loaded into every server."""
    root = open_path / ("link" if planted == "link" else "root")
    if planted == "link":
        (open_path / "theirs").mkdir()
        root.symlink_to(open_path / "theirs")
    else:
        owner.enterable(root)
    if planted == "open":
        root.chmod(0o777)
    elif planted != "link":
        os.chown(owner.enterable(open_path / planted), user.uid, user.gid)
    with pytest.raises(SandboxError, match=r"is not safe for sandboxes: .*(belongs to|may write|is a link)"):
        place.prepare(root, user)
    assert sweep.sweep(root) == []


def test_a_folder_that_is_a_link_keeps_its_mode(open_path, vault, monkeypatch):
    """Somebody makes the link after we have looked, and before we make the folder."""
    planted = open_path / "planted"
    planted.symlink_to(vault)
    monkeypatch.setattr(os.path, "lexists", lambda path: path != planted)
    owner.enterable(planted)
    assert vault.stat().st_mode & 0o777 == 0o700


@as_root
def test_a_folder_above_that_others_may_rename_is_refused(open_path, user):
    above = owner.enterable(open_path / "above")
    place.prepare(above / "root", user)
    above.chmod(0o1777)
    place.prepare(above / "root", user)  # as /tmp: what is ours, nobody else can rename
    above.chmod(0o777)
    with pytest.raises(SandboxError, match="others may write in"):
        place.prepare(above / "root", user)
