"""The attacker: a build that is hostile, and a process of the user who runs sandboxes.

Both may do what they like in their own folder. Nothing outside it is read, changed or shown by the worker on their
behalf. Run as root, the attacks come from another user, as they would.
"""

import json
import os
import re
import shutil
import socket
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from workers.crash import inspect
from workers.crash.binlog import files_of, read
from workers.crash.inspect import BinlogPlace
from workers.errors import DurascopeError, SandboxError
from workers.sandbox import builds, door, images, owner, place, process, sweep, untrusted
from workers.sandbox.builds import Build, install, store
from workers.sandbox.builds.layout import discover
from workers.sandbox.log_places import LogPlaces
from workers.sandbox.logs import Logs
from workers.sandbox.owner import Owner
from workers.sandbox.process import Fence
from workers.sandbox.room import Room
from workers.sandbox.server import Sandbox
from workers.sandbox.users import User, unprivileged_user

SECRET = "the key of all passwords"
NO_PID = 2**22 + 1  # above the kernel's largest pid_max
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root has something to take from another user")
with_landlock = pytest.mark.skipif(not door.landlock(), reason="this kernel has no Landlock")
HOSTILE = """#!/bin/sh
case "$*" in
*--version*)
    {version}
    echo "mysqld  Ver {number} for Linux on x86_64 (MySQL Community Server - GPL)" ;;
*--initialize*|*--bootstrap*)
    {bootstrap}
    exit 0 ;;
*)
    cd "$HOME"
    {server}
    echo "Address already in use"
    exit 1 ;;
esac
"""


@pytest.fixture
def user() -> User:
    return unprivileged_user()


@pytest.fixture
def vault(open_path: Path) -> Path:
    """A folder of the worker's with one file, which nobody else may enter."""
    folder = open_path / "vault"
    folder.mkdir(mode=0o700)
    (folder / "secret").write_text(SECRET)
    (folder / "secret").chmod(0o600)
    return folder


@pytest.fixture
def untouched(vault: Path) -> Callable[[], bool]:
    """Whether the vault is as it was."""
    before = (vault / "secret").stat()

    def is_untouched() -> bool:
        now = (vault / "secret").stat()
        same = (now.st_uid, now.st_mode, now.st_mtime_ns) == (before.st_uid, before.st_mode, before.st_mtime_ns)
        return (
            same and (vault / "secret").read_text() == SECRET and [path.name for path in vault.iterdir()] == ["secret"]
        )

    return is_untouched


@pytest.fixture
def hostile(open_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Build]:
    """`hostile(server=..., version=..., bootstrap=...)`: a build that runs this shell when it is started so."""
    monkeypatch.setenv("DURASCOPE_BUILDS", str(open_path / "builds"))

    def make(number: str = "5.7.30", version: str = ":", bootstrap: str = ":", server: str = ":") -> Build:
        program = open_path / "theirs/bin/mysqld"
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(HOSTILE.format(number=number, version=version, bootstrap=bootstrap, server=server))
        program.chmod(0o755)
        if not (open_path / "builds/theirs").exists():
            install.add("theirs", lambda line: None, basedir=open_path / "theirs")
        return builds.find("theirs")

    return make


@pytest.fixture
def as_user(user: User) -> Callable[[str, Path], None]:
    """Run shell as the sandboxes' user, outside of any fence."""

    def run(script: str, folder: Path) -> None:
        process.run(["sh", "-c", script], user, cwd=folder, limit_s=20)

    return run


@pytest.fixture
def theirs(open_path: Path, user: User) -> Path:
    """A folder of the sandboxes' user in one of ours, as a datadir is."""
    return user.folder(open_path / "data")


def ended(call: Callable[[], object], seconds: float = 20) -> object:
    """What the call gave or raised; a FIFO would keep it for ever."""
    found: list[object] = []

    def attempt() -> None:
        try:
            found.append(call())
        except (DurascopeError, OSError) as error:
            found.append(error)

    thread = threading.Thread(target=attempt, daemon=True)
    thread.start()
    thread.join(seconds)
    assert found, "it waits for ever"
    return found[0]


def create(root: Path, build: Build) -> str:
    """What is said of a sandbox that cannot start: the end of its log is shown."""
    with pytest.raises(SandboxError) as failed:
        Sandbox.create(root, build, {}, name="hostile", trace=False)
    return str(failed.value)


@as_root
def test_links_in_the_place_of_the_workers_files_are_not_followed(hostile, open_path, vault, untouched):
    """Three lives: what the first one plants, the worker would follow in the second."""
    plant = f"for f in .owner.json owner.json output.log error.log my.cnf sock; do ln -sfn {vault}/secret $f; done"
    said = create(open_path / "root", hostile(server=plant))
    assert "did not start" in said and SECRET not in said
    assert untouched()


@as_root
def test_a_fifo_in_the_place_of_a_log_stops_nobody(hostile, open_path):
    build = hostile(server="rm -f error.log output.log; mkfifo error.log output.log")
    assert "did not start" in str(ended(lambda: create(open_path / "root", build)))


def test_a_log_without_end_is_read_from_its_end(hostile, open_path):
    said = create(open_path / "root", hostile(server="perl -e 'truncate(STDOUT, 1 << 40)'; echo The last words"))
    assert "The last words" in said and len(said) < 1 << 25


@as_root
def test_the_own_user_owns_three_folders_and_no_more(hostile, open_path, user, monkeypatch):
    monkeypatch.setattr(Sandbox, "remove", Sandbox.kill)
    create(open_path / "root", hostile())
    (room,) = (open_path / "root/live").iterdir()
    folders = [path.name for path in (room, *room.iterdir()) if path.is_dir() and path.stat().st_uid == user.uid]
    assert sorted(folders) == ["data", "run", "tmp"]
    assert all((room / name).stat().st_uid == 0 for name in ("owner.json", "error.log"))


@as_root
def test_a_build_is_asked_as_another_user_and_told_nothing(hostile, vault, untouched, user, monkeypatch):
    monkeypatch.setenv("DURASCOPE_PASSWORD_KEYS", SECRET)
    tell = f"echo pwned > {vault}/secret; cat {vault}/secret; id -u; env"
    build = hostile(version=tell)
    asked = process.ask([*build.command(), "--version"], user, Fence(build.parts), build.environment(), 20)
    assert asked.said.splitlines()[0].endswith("Permission denied") or str(user.uid) in asked.said
    assert str(user.uid) in asked.said.splitlines() and SECRET not in asked.said
    assert untouched()


@as_root
@pytest.mark.skipif(not shutil.which("cc"), reason="needs a C compiler")
def test_libraries_of_a_build_are_not_loaded_before_the_user_changes(hostile, open_path, vault, untouched, user):
    """The program that changes the user loads a library, and LD_LIBRARY_PATH names a folder of the build."""
    build = hostile()
    (open_path / "theirs/libs").mkdir()
    wanted = subprocess.run(["nm", "-D", shutil.which("setpriv")], capture_output=True, text=True, check=True).stdout
    functions = "".join(f"void *{name}(void) {{ return 0; }}\n" for name in re.findall(r"\bcapng_\w+", wanted))
    enter = f'__attribute__((constructor)) static void f(void) {{ fclose(fopen("{vault}/planted", "w")); }}'
    argv = ["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", open_path / "theirs/libs/libcap-ng.so.0"]
    subprocess.run(argv, input=f"#include <stdio.h>\n{functions}{enter}\n", text=True, check=True)
    layout = discover(open_path / "theirs")
    assert layout.libraries == (open_path / "theirs/libs",)
    loads = Build("theirs", "", build.flavour, build.version, layout)
    create(open_path / "root", loads)
    assert untouched()


@as_root
@pytest.mark.parametrize("number", ["5.6.14", "5.5.9"])
def test_files_that_come_with_a_build_are_read_as_its_user(hostile, open_path, vault, number):
    """SQL that the server is fed, and a datadir that is copied: a link would have root read for it."""
    share, template = open_path / "theirs/share", open_path / "theirs/template"
    (share / "english").mkdir(parents=True)
    (share / "english/errmsg.sys").touch()
    (share / "mysql_system_tables.sql").symlink_to(vault / "secret")
    if number == "5.5.9":
        template.mkdir()
        (template / "ibdata1").symlink_to(vault / "secret")
    tell = 'cat; d=$(sed -n s/datadir=//p "${1#--defaults-file=}"); cat "$d"/*; exit 1'
    build = hostile(number, bootstrap=tell)
    with pytest.raises(SandboxError) as failed:
        images.initialised(open_path / "root", build, unprivileged_user())
    assert SECRET not in str(failed.value)


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
    monkeypatch.setattr(untrusted, "holds", lambda folder: None)
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
    assert isinstance(ended(lambda: read(files_of(theirs, "binlog"), "schema", b"secret")), OSError)
    assert all(SECRET not in path.read_text() for path in kept.iterdir())


@as_root
def test_an_index_cannot_name_files_elsewhere(theirs, as_user, open_path, vault):
    as_user(f"echo {vault}/secret > binlog.index", theirs)
    assert "another folder" in str(ended(lambda: inspect.keep_binlog(BinlogPlace(theirs / "binlog.index"), open_path)))


def test_a_binlog_of_terabytes_is_not_read_or_copied(theirs, as_user, open_path):
    as_user("echo ./binlog.000001 > binlog.index; truncate -s 8T binlog.000001", theirs)
    assert "it is not read" in str(ended(lambda: read(files_of(theirs, "binlog"), "schema", b"secret")))
    as_user("truncate -s 1T binlog.index", theirs)
    assert "larger than" in str(ended(lambda: files_of(theirs, "binlog")))


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
        untrusted.holds(theirs)
    monkeypatch.setattr(untrusted, "MOST_FILES", 10)
    as_user("rm -r d; for i in $(seq 11); do : > $i; done", theirs)
    with pytest.raises(SandboxError, match="more than 10 files"):
        untrusted.holds(theirs)


@as_root
def test_a_second_name_of_somebody_elses_file_is_not_read(theirs, vault):
    os.link(vault / "secret", theirs / "binlog.index")  # a kernel with protected_hardlinks=0 lets anybody do so
    assert isinstance(ended(lambda: files_of(theirs, "binlog")), PermissionError)


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


@with_landlock
@pytest.mark.parametrize(
    "attempt", ["cat {vault}/secret", "ls {vault}", "echo x >> {vault}/secret", "rm -f {vault}/secret"]
)
def test_a_worker_without_root_keeps_its_files_by_the_kernel(open_path, vault, untouched, attempt):
    """Sandboxes run as the worker's own user there: here, as root itself."""
    me = User("me", os.geteuid(), os.getegid(), switch=False)
    asked = process.ask(["/bin/sh", "-c", attempt.format(vault=vault)], me, Fence(write=(open_path / "data",)), {}, 20)
    assert asked.status != 0 and "Permission denied" in asked.said and SECRET not in asked.said
    assert untouched()


@with_landlock
def test_a_server_makes_files_and_nothing_else(theirs, user):
    def sh(script: str) -> int | None:
        return process.ask(["/bin/sh", "-c", f"cd {theirs} && {script}"], user, Fence(write=(theirs,)), {}, 20).status

    assert sh("mkdir a && echo x > a/b && mv a/b c && cat c && rm -r a c") == 0
    assert sh("mkfifo fifo") != 0 and sh("ln -s / link") != 0
    assert sh("echo x > /var/tmp/ds-outside") != 0


@with_landlock
@pytest.mark.skipif(door.landlock() < door.SCOPED_SINCE, reason="this kernel's Landlock does not know signals")
def test_a_server_neither_ends_nor_reads_another_process_of_its_user(user):
    """As which the worker itself runs where it is not root."""
    with subprocess.Popen([*user.setpriv, "sleep", "60"], env={"KEY": SECRET, "PATH": os.defpath}) as victim:
        script = f"kill -9 {victim.pid}; cat /proc/{victim.pid}/environ"
        asked = process.ask(["/bin/sh", "-c", script], user, Fence(), {}, 20)
        try:
            assert "not permitted" in asked.said and "Permission denied" in asked.said and SECRET not in asked.said
            assert victim.poll() is None
        finally:
            victim.kill()


def test_logs_are_opened_by_us_and_never_through_what_lies_there(tmp_path, vault):
    (tmp_path / "error.log").symlink_to(vault / "secret")
    assert isinstance(ended(lambda: Logs(tmp_path).text), OSError)
    os.close(Logs(tmp_path).begin())
    assert not (tmp_path / "error.log").is_symlink() and (vault / "secret").read_text() == SECRET


def test_a_build_that_is_added_loses_what_would_make_it_another_user(open_path, monkeypatch):
    program = open_path / "su"
    program.touch()
    program.chmod(0o4755)
    store.readable(open_path)
    assert program.stat().st_mode & 0o7777 == 0o755
