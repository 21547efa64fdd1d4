"""`manage.py doctor`: on this host, on one that lacks things, and as an ordinary user."""

import functools
import json
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests import migrated, postgresql
from tests.real.clock import Clock
from tests.real.disks import needs_disk, with_own_mounts
from workers.host import ability

PROJECT = Path(__file__).resolve().parents[2]


def clean():
    """This environment without the settings of the tests."""
    others = ("DURASCOPE_", "DATABASE", "DJANGO_")
    return {name: value for name, value in os.environ.items() if not name.startswith(others)}


def said_at(home, *before, path=None, accept=(), **environment):
    """State and words of each line, and the exit status."""
    known = clean()
    given = {**known, "DURASCOPE_HOME": str(home), "PATH": path or known["PATH"], **environment}
    argv = [*before, sys.executable, "manage.py", "doctor", "--json"]
    argv += [word for title in accept for word in ("--accept", title)]
    done = subprocess.run(argv, cwd=PROJECT, env=given, capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr
    return {one["title"]: (one["state"], one["says"]) for one in json.loads(done.stdout)}, done.returncode


@pytest.fixture
def doctor(tmp_path):
    return functools.partial(said_at, tmp_path / "home")


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """Of this host, as it is."""
    return said_at(tmp_path_factory.mktemp("here") / "home")


def test_a_host_that_lacks_nothing_but_a_mail_server(here):
    found, status = here
    assert {title for title, (state, _) in found.items() if state == "fails"} == set()
    assert found["builds"][0] == "works" and "system-mariadb" in found["builds"][1]
    assert found["sysbench"][0] == found["Redis"][0] == found["fsync trace"][0] == "works"
    assert found["mail"] == ("limited", "No mail server is set, so no e-mail is sent. Set DURASCOPE_SMTP_HOST.")
    assert status == 1


def test_limits_that_are_accepted_do_not_count(here, tmp_path):
    limits = [title for title, (state, _) in here[0].items() if state == "limited"]
    assert "mail" in limits
    assert said_at(tmp_path / "home", accept=limits)[1] == 0
    assert said_at(tmp_path / "home", accept=limits[:-1])[1] == 1, "one was not accepted"


def test_what_fails_cannot_be_accepted(doctor):
    nowhere = {"DURASCOPE_REDIS": "redis://127.0.0.1:1/0"}
    assert doctor(accept=["Redis", "mail", "address"], **nowhere)[1] == 2


def test_the_doctor_of_a_new_home_makes_nothing(doctor, tmp_path):
    assert doctor()[0]["home"] == ("works", f"{tmp_path}/home is made at the first start")
    assert not (tmp_path / "home").exists()


SEALS = """
from dashboard.records.servers.models import Server
for name in ("db1", "db2"):
    one = Server(name=name, kind="attached", host="192.0.2.7", user="u")
    one.set_password("secret")
    one.save()
"""


def test_a_lost_key_is_told_and_no_new_one_is_made(doctor, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    migrated.sqlite(home / "durascope.sqlite3")
    argv = [sys.executable, "manage.py", "shell", "-v", "0", "-c", SEALS]
    subprocess.run(argv, cwd=PROJECT, env={**clean(), "DURASCOPE_HOME": str(home)}, check=True)
    assert doctor()[0]["keys"] == ("works", "stored passwords can be opened")
    (home / "password_keys").unlink()
    before = contents(home)
    state, says = doctor()[0]["keys"]
    assert state == "limited" and "No key opens the passwords of: db1, db2. Put the key back" in says
    assert contents(home) == before


def contents(home):
    return {str(file): file.read_bytes() for file in home.rglob("*") if file.is_file()}


def test_the_doctor_names_each_unreachable_service_with_its_fix(doctor):
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    found, status = doctor(
        DURASCOPE_REDIS=f"redis://127.0.0.1:{port}/0", DURASCOPE_SMTP_HOST="127.0.0.1", DURASCOPE_SMTP_PORT=str(port),
        DATABASE_URL=f"postgresql://nobody@127.0.0.1:{port}/none",
    )  # fmt: skip
    assert status == 2
    for title, remedy in (("Redis", "correct DURASCOPE_REDIS"), ("database", "correct DATABASE_URL")):
        assert found[title][0] == "fails" and remedy in found[title][1], found[title]
    assert found["mail"][0] == "limited" and "Check DURASCOPE_SMTP_HOST" in found["mail"][1]


def test_a_host_without_the_programs(doctor, tmp_path):
    """No program is on its PATH."""
    empty = tmp_path / "bin"
    empty.mkdir()
    found, status = doctor(path=str(empty))
    assert found["sysbench"][1].endswith("apt-get install sysbench")
    assert found["fsync trace"][0] == "limited" and found["Redis"][0] == "fails" and status == 2


needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")


@needs_root
def test_without_capabilities_it_says_what_needs_root(doctor):
    """The ordinary user of an installation: test_install."""
    found, status = doctor("setpriv", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs")
    assert found["power loss"][0] == "limited" and "Run it as root" in found["power loss"][1]
    assert found["networks"][0] == "limited" and "Run it as root" in found["networks"][1]
    assert found["database"][0] == "works" and status == 1 and "disks in short memory" not in found


@needs_disk
def test_disks_that_can_wait_for_themselves_are_told(doctor, here):
    """Without one capability; with it, if this host gives it, nothing is told."""
    found, _ = doctor("setpriv", "--bounding-set=-sys_resource", "--inh-caps=-all", "--no-new-privs")
    state, says = found["disks in short memory"]
    assert state == "limited" and "no CAP_SYS_RESOURCE" in says and found["power loss"][0] == "works"
    if ability.holds(24):
        assert here[0]["disks in short memory"][0] == "works"


@needs_root
def test_a_host_without_fuse(doctor):
    """The same host with /dev/fuse hidden. Without hiding it, nothing is missing."""
    hidden = "mount -t tmpfs none /dev && mknod -m 666 /dev/null c 1 3 && mknod -m 666 /dev/urandom c 1 9"
    found, status = doctor(*with_own_mounts(f'{hidden} && exec "$@"'))
    assert found["power loss"][0] == "limited" and status == 1
    assert "The kernel has no FUSE" in found["power loss"][1] and "modprobe fuse" in found["power loss"][1]
    assert found["builds"][0] == found["sysbench"][0] == "works"


@needs_root
def test_a_host_without_network_namespaces(doctor):
    """The kernel's limit, which each user namespace has for itself: the host's is not changed. Only root is known in
    this one, and nobody could run a sandbox."""
    refused = "echo 0 >/proc/sys/user/max_net_namespaces"
    found, status = doctor("unshare", "--user", "--map-root-user", "bash", "-c", f'{refused} && exec "$@"', "bash")
    assert found["networks"][0] == "limited" and status == 1
    assert "sysctl user.max_net_namespaces=1024" in found["networks"][1]
    assert "runs in a user namespace" in found["power loss"][1]
    assert "No user id is free" in found["own user of sandboxes"][1]


@needs_root
@pytest.mark.parametrize(("free_mib", "small"), [(1023, "home"), (1024, "sandboxes")])
def test_memory_and_room_for_one_sandbox(doctor, tmp_path, free_mib, small):
    """The kernel's file with another figure, for this program only; a file system of 600 MiB in the place of one
    folder."""
    told, folders = tmp_path / "meminfo", [tmp_path / name for name in ("home", "sandboxes")]
    told.write_text(f"MemTotal: 9999999 kB\nMemAvailable: {free_mib * 1024} kB\n")
    for folder in folders:
        folder.mkdir()
    mounts = f"mount --bind {told} /proc/meminfo && mount -t tmpfs -o size=600m none {tmp_path / small}"
    found, status = doctor(*with_own_mounts(f'{mounts} && exec "$@"'), DURASCOPE_SANDBOXES=str(folders[1]))
    state, says = found["memory"]
    assert state == ("limited" if free_mib < 1024 else "works") and says.startswith("1.0 GiB free")
    assert ("a sandbox needs 1 GiB" in says and "End other programs, or add memory" in says) == (state == "limited")
    assert found["disk"][0] == "limited" and status == 1
    assert found["disk"][1].endswith(f"a sandbox needs 2 GiB. Make room in {tmp_path / small}.")
    assert found["home"][0] == "works", "32 MiB are enough for the records"


@needs_root
def test_a_full_home_fails(doctor, tmp_path):
    (tmp_path / "home").mkdir()
    mount = f'mount -t tmpfs -o size=16m none {tmp_path / "home"} && exec "$@"'
    found, status = doctor(*with_own_mounts(mount))
    assert found["home"][0] == "fails" and status == 2
    assert "is full: 1" in found["home"][1] and "Make room" in found["home"][1]


def test_a_database_of_another_version(doctor, tmp_path):
    changes = [
        (
            "version",
            "DELETE FROM django_migrations WHERE app = 'sharing'",
            "lacks sharing.",
            "run there: manage.py migrate",
        ),
        (
            "database",  # no process connects to it
            "INSERT INTO django_migrations (app, name, applied) VALUES ('servers', '9999_later', '2030-01-01')",
            "which is older than the database, which has servers.9999_later",
            "restore the backup from before the upgrade",
        ),
    ]
    (tmp_path / "home").mkdir()
    migrated.sqlite(tmp_path / "home/durascope.sqlite3")
    assert doctor()[0]["version"][0] == "works"
    for title, change, says, fix in changes:
        with closing(sqlite3.connect(tmp_path / "home/durascope.sqlite3")) as database:
            database.execute(change)
            database.commit()
        found, status = doctor()
        state, told = found[title]
        assert state == "fails" and status == 2
        assert says in told and fix in told


def test_a_clock_that_is_not_the_databases(doctor, tmp_path):
    """The program's clock is wrong, that of PostgreSQL is right."""
    server = postgresql.private()
    clock = Clock(tmp_path, datetime.now(UTC))
    try:
        server.make("doctor")
        given = {"DATABASE_URL": server.url("doctor"), **clock.environment}
        assert doctor(**given)[0]["clock"][0] == "works"
        for ahead_s, side in ((60, "ahead of"), (-60, "behind")):
            clock.set(datetime.now(UTC) + timedelta(seconds=ahead_s))
            state, says = doctor(**given)[0]["clock"]
            assert state == "fails" and f"s {side} the database's. Synchronise both clocks" in says, says
    finally:
        server.stop()
        shutil.rmtree(server.folder)
