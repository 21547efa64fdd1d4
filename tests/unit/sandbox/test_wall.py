"""The attacker: a build that is hostile, and a process of the user who runs sandboxes.

Both may do what they like in their own folder. Nothing outside it is read, changed or shown by the worker on their
behalf. Run as root, the attacks come from another user, as they would.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.unit.sandbox.attacker import SECRET, as_root, ended, with_landlock
from workers.errors import SandboxError
from workers.sandbox import door, images, process
from workers.sandbox.builds import Build, store
from workers.sandbox.builds.layout import discover
from workers.sandbox.logs import Logs
from workers.sandbox.process import Fence
from workers.sandbox.server import Sandbox
from workers.sandbox.users import User, unprivileged_user


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
        images.of(open_path / "root", build, unprivileged_user())
    assert SECRET not in str(failed.value)


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
