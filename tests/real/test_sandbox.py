"""A sandbox from its making to its removal, with the system's MariaDB."""

import os
import stat
from pathlib import Path

import pymysql
import pytest

from workers.errors import SandboxError
from workers.sandbox import builds, images
from workers.sandbox.builds import install
from workers.sandbox.port import free_port
from workers.sandbox.process import start_time
from workers.sandbox.server import Sandbox


def query(sandbox: Sandbox, sql: str, **login) -> tuple:
    target = sandbox.target
    login = {"unix_socket": target.socket, "user": target.user, "password": target.password} | login
    connection = pymysql.connect(autocommit=True, **login)
    try:
        with connection.cursor() as cursor:
            cursor.execute(sql)
            return cursor.fetchall()
    finally:
        connection.close()


def test_a_sandbox_answers_on_its_socket_and_on_loopback_only(sandbox):
    assert query(sandbox, "SELECT @@log_bin, @@performance_schema, @@bind_address") == ((1, 0, "127.0.0.1"),)
    loopback = {"unix_socket": None, "host": sandbox.target.host, "port": sandbox.target.port}
    assert query(sandbox, "SELECT 1", **loopback) == ((1,),)


def test_a_sandbox_has_room_for_1024_clients(sandbox):
    ((connections, backlog),) = query(sandbox, "SELECT @@max_connections, @@back_log")
    assert connections >= 1100
    assert backlog >= 1024


def test_the_account_of_a_sandbox_may_do_all_that_measuring_needs(sandbox):
    query(sandbox, "SHOW GLOBAL STATUS LIKE 'Syncs'")
    query(sandbox, "SET GLOBAL sync_binlog = 1")
    query(sandbox, "CREATE SCHEMA durascope_rights")
    query(sandbox, "DROP SCHEMA durascope_rights")


def test_a_sandbox_lets_nobody_else_in(sandbox):
    for user, password in (("root", ""), ("root", "invalid"), ("", ""), (sandbox.target.user, "wrong")):
        with pytest.raises(pymysql.err.OperationalError):
            query(sandbox, "SELECT 1", user=user, password=password)


def test_the_password_of_a_sandbox_is_in_no_file_argument_or_environment(sandbox):
    password = sandbox.target.password.encode()
    assert password not in Path(f"/proc/{sandbox.pid}/cmdline").read_bytes()
    assert password not in Path(f"/proc/{sandbox.pid}/environ").read_bytes()
    files = [path for path in sandbox.folder.rglob("*") if path.is_file() and path.stat().st_size < 2_000_000]
    assert [path.name for path in files if password in path.read_bytes()] == []
    assert repr(password.decode()) not in repr(sandbox.target)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to become somebody else")
def test_a_sandbox_does_not_run_as_root(sandbox):
    assert Path(f"/proc/{sandbox.pid}").stat().st_uid == sandbox.user.uid != 0
    assert stat.S_IMODE(sandbox.datadir.stat().st_mode) == 0o700


def test_a_sandbox_restarts_with_other_settings(make_sandbox):
    sandbox = make_sandbox({"log_bin": "ON"}, trace=False)
    before = sandbox.pid
    target = sandbox.restart({"log_bin": "OFF", "innodb_buffer_pool_size": "64M"})
    assert target == sandbox.target
    assert sandbox.pid != before
    assert query(sandbox, "SELECT @@log_bin, @@innodb_buffer_pool_size") == ((0, 64 << 20),)
    assert "innodb_buffer_pool_size=64M" in sandbox.my_cnf


def test_a_sandbox_recovers_after_a_kill(make_sandbox):
    sandbox = make_sandbox({}, trace=False)
    query(sandbox, "CREATE SCHEMA durascope_kill")
    sandbox.kill()
    assert not sandbox.running
    sandbox.restart({})
    assert query(sandbox, "SHOW SCHEMAS LIKE 'durascope_kill'")


def test_a_sandbox_leaves_nothing_behind(sandbox_root, make_sandbox):
    with make_sandbox({}, trace=False) as sandbox:
        pid, folder = sandbox.pid, sandbox.folder
    assert start_time(pid) is None
    assert not folder.exists()
    sandbox.remove()


def test_prepared_data_is_kept_as_an_image(sandbox_root, make_sandbox):
    source = make_sandbox({"log_bin": "ON"}, trace=False)
    query(source, "CREATE SCHEMA durascope_image")
    with pytest.raises(SandboxError, match="not stopped cleanly"):
        source.save_image("with-schema")
    source.stop()
    assert not list(source.save_image("with-schema").glob("binlog.*"))
    copy = make_sandbox({}, image_key="with-schema", trace=False)
    assert query(copy, "SHOW SCHEMAS LIKE 'durascope_image'")


def test_no_image_is_saved_after_a_kill(make_sandbox):
    sandbox = make_sandbox({}, trace=False)
    sandbox.stop()
    sandbox.restart({})
    sandbox.kill()
    with pytest.raises(SandboxError, match="not stopped cleanly"):
        sandbox.save_image("after-kill")


def test_the_redo_log_has_no_hole(sandbox):
    """A hole in the redo log would cost a journal commit at its first overwrite."""
    redo = (sandbox.datadir / "ib_logfile0").stat()
    assert redo.st_blocks * 512 >= redo.st_size


def test_a_server_that_does_not_start_is_reported_with_its_error(sandbox_root, make_sandbox):
    before = set((sandbox_root / "live").iterdir())
    with pytest.raises(SandboxError, match="unknown variable 'no_such_setting=1'"):
        make_sandbox({"no_such_setting": "1"}, trace=False)
    assert set((sandbox_root / "live").iterdir()) == before


def test_an_image_that_was_never_made_is_refused(make_sandbox):
    with pytest.raises(SandboxError, match="no image called never-made"):
        make_sandbox({}, image_key="never-made")


def test_a_sandbox_takes_another_port_when_its_own_was_taken(make_sandbox, monkeypatch, sandbox):
    """The race between looking for a free port and using it."""
    ports = iter([sandbox.target.port])
    monkeypatch.setattr("workers.sandbox.port.free_port", lambda: next(ports, None) or free_port())
    other = make_sandbox({}, trace=False)
    assert other.target.port != sandbox.target.port


def test_the_image_of_a_build_is_made_once(sandbox, sandbox_root):
    images.of(sandbox_root, builds.find("system-mariadb"), sandbox.user)
    assert not list((sandbox_root / "images/making").iterdir())


def test_the_systems_server_can_be_added_as_a_build_of_the_users(make_sandbox, sandbox_root, monkeypatch):
    monkeypatch.setenv("DURASCOPE_BUILDS", str(sandbox_root / "builds"))
    system = builds.find("system-mariadb")
    install.add("mine", lambda line: None, basedir=system.basedir)
    mine = builds.find("mine")
    assert (mine.flavour, mine.version) == (system.flavour, system.version)
    with Sandbox.create(sandbox_root, mine, {"log_bin": "ON"}, name="mine") as made:
        ((said,),) = query(made, "SELECT VERSION()")
        assert said.startswith(mine.version_text)
        assert made.trace_missing == ""
