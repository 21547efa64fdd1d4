"""A server on a volatile disk: frozen, cut off, killed, and started again on what is left."""

import contextlib
import platform
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pymysql
import pytest

from tests.real.disks import leavings, needs_disk
from workers.errors import SandboxError, ServerError
from workers.sandbox import builds
from workers.sandbox.disk import prepared
from workers.sandbox.server import Sandbox
from workers.sandbox.users import unprivileged_user
from workers.servers.connection import connect

DURABLE = {"log_bin": "ON", "innodb_flush_log_at_trx_commit": "1", "sync_binlog": "1"}
CARELESS = {"log_bin": "ON", "innodb_flush_log_at_trx_commit": "2", "sync_binlog": "0"}
ROWS = 20
LIMIT_S = 120.0
FLUSHES = {"x86_64": ("74 ", "75 "), "aarch64": ("82 ", "83 ")}.get(platform.machine(), ())  # fsync, fdatasync


@pytest.fixture(scope="module")
def image_key(make_sandbox):
    """An image with the table in it, as a trial has."""
    source = make_sandbox({}, name="source", trace=False)
    ask(source, "CREATE SCHEMA crash")
    ask(source, "CREATE TABLE crash.t (n INT PRIMARY KEY) ENGINE=InnoDB")
    source.stop()
    source.save_image("with-crash-table")
    source.remove()
    return "with-crash-table"


@pytest.fixture
def on_disk(sandbox_root, image_key):
    """`on_disk(settings)`: a server with that table on a volatile disk of its own; (server, disk)."""
    with contextlib.ExitStack() as made:

        def make(settings: dict[str, str], key: str = image_key):
            build, user = builds.find("system-mariadb"), unprivileged_user()
            disk = made.enter_context(prepared.new_disk(sandbox_root, build, user, image_key=key))
            options = {"name": "crash", "trace": False, "image_key": key, "datadir_on": disk.mnt}
            return made.enter_context(Sandbox.create(sandbox_root, build, settings, **options)), disk

        yield make


def ask(sandbox: Sandbox, sql: str) -> tuple:
    with contextlib.closing(connect(sandbox.target)) as connection, connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetchall()


def insert(sandbox: Sandbox) -> None:
    with contextlib.closing(connect(sandbox.target)) as connection, connection.cursor() as cursor:
        for n in range(ROWS):
            cursor.execute("INSERT INTO crash.t VALUES (%s)", (n,))


def wait_until(true) -> None:
    deadline = time.monotonic() + LIMIT_S
    while not true():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.001)


def waits_for_a_flush(pid: int) -> bool:
    """Whether a thread of the process waits in fsync or fdatasync. Other waits for a disk end by themselves."""
    return any(
        said.startswith(FLUSHES) and stat.rpartition(")")[2].split()[0] == "D" for said, stat in calls_and_states(pid)
    )


def calls_and_states(pid: int) -> Iterator[tuple[str, str]]:
    for thread in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(OSError):  # it has just ended
            yield (thread / "syscall").read_text(), (thread / "stat").read_text()


def rows(sandbox: Sandbox) -> int:
    return ask(sandbox, "SELECT COUNT(*) FROM crash.t")[0][0]


def lose_power(sandbox: Sandbox, disk, settings: dict[str, str], **how):
    disk.hold_flushes()
    sandbox.freeze()
    disk.cut(**how)
    sandbox.kill()
    disk.power_on()
    return sandbox.recover(settings)


@needs_disk
def test_all_rows_survive_a_kill(on_disk):
    sandbox, _ = on_disk(DURABLE)
    insert(sandbox)
    sandbox.kill()
    recovery = sandbox.recover(DURABLE)
    assert rows(sandbox) == ROWS
    assert recovery.seconds > 0


@needs_disk
@pytest.mark.parametrize("torn", [{}, {"keep_permille": 500, "seed": 1}])
def test_all_rows_survive_a_power_loss_at_1_1(on_disk, torn):
    sandbox, disk = on_disk(DURABLE)
    insert(sandbox)
    lose_power(sandbox, disk, DURABLE, **torn)
    assert rows(sandbox) == ROWS


@needs_disk
def test_rows_are_lost_after_a_power_loss_at_2_0(on_disk):
    """The same load, and a server that says the same to its client: the disk tells the difference. The server writes
    its log once a second, so a few rows may have got through."""
    sandbox, disk = on_disk(CARELESS)
    insert(sandbox)
    lose_power(sandbox, disk, CARELESS)
    assert rows(sandbox) < ROWS


@needs_disk
def test_all_rows_are_lost_on_a_lying_disk_even_at_1_1(on_disk):
    sandbox, disk = on_disk(DURABLE)
    disk.lie(True)
    insert(sandbox)
    lose_power(sandbox, disk, DURABLE)
    assert rows(sandbox) == 0


@needs_disk
def test_the_account_and_settled_tables_survive_a_crash_under_any_settings(on_disk):
    """The account was made a moment ago, by a server that flushes nothing."""
    sandbox, disk = on_disk({"log_bin": "ON", "innodb_flush_log_at_trx_commit": "0", "sync_binlog": "0"})
    ask(sandbox, "CREATE TABLE crash.later (n INT PRIMARY KEY) ENGINE=InnoDB")
    ask(sandbox, "INSERT INTO crash.later VALUES (1)")
    sandbox.settle()
    lose_power(sandbox, disk, {})
    assert ask(sandbox, "SELECT n FROM crash.later") == ((1,),)


@needs_disk
def test_settling_changes_no_setting(on_disk):
    settings = {"innodb_flush_log_at_trx_commit": "2", "sync_binlog": "7"}
    sandbox, _ = on_disk(settings)
    sandbox.settle()
    assert ask(sandbox, "SELECT @@innodb_flush_log_at_trx_commit, @@sync_binlog") == ((2, 7),)


def test_files_that_cannot_be_written_out_are_named(make_sandbox, monkeypatch):
    sandbox = make_sandbox()
    monkeypatch.setattr(sandbox, "datadir", sandbox.datadir / "gone")
    with pytest.raises(SandboxError, match=r"gone could not be written out: .*No such file"):
        sandbox.settle()


@needs_disk
def test_only_the_datadir_is_on_the_disk(on_disk):
    sandbox, disk = on_disk(DURABLE)
    assert sandbox.datadir == disk.mnt / "data"
    assert (sandbox.datadir / "binlog.000001").exists()
    for kept in (sandbox.target.socket, sandbox.folder / "my.cnf", sandbox.folder / "error.log"):
        assert Path(kept).stat().st_dev != disk.mnt.stat().st_dev
    assert not (sandbox.folder / "data").exists()


@needs_disk
def test_files_of_a_server_on_a_disk_have_no_holes(sandbox_root, image_key):
    """Else a power loss could take a block that a real server's disk would keep: the file system had to allocate it."""
    with prepared.new_disk(
        sandbox_root, builds.find("system-mariadb"), unprivileged_user(), image_key=image_key
    ) as disk:
        files = [file for file in (disk.mnt / "data").iterdir() if file.is_file() and file.stat().st_size >= 1 << 20]
        assert {"ibdata1", "ib_logfile0"} <= {file.name for file in files}
        assert [file.name for file in files if file.stat().st_blocks * 512 < file.stat().st_size] == []


@needs_disk
def test_a_sandbox_on_a_disk_leaves_nothing_behind(sandbox_root, image_key):
    build, user = builds.find("system-mariadb"), unprivileged_user()
    with prepared.new_disk(sandbox_root, build, user, image_key=image_key) as disk:
        options = {"name": "short", "trace": False, "image_key": image_key, "datadir_on": disk.mnt}
        with Sandbox.create(sandbox_root, build, DURABLE, **options) as sandbox:
            sandbox.freeze()
    assert leavings(disk.folder) == (0, 0, [])
    assert not disk.folder.exists() and not sandbox.folder.exists()


@needs_disk
def test_the_logs_before_and_after_the_crash_are_kept(on_disk):
    sandbox, disk = on_disk(DURABLE)
    insert(sandbox)
    recovery = lose_power(sandbox, disk, DURABLE)
    assert any("Starting crash recovery" in line for line in recovery.log_lines)
    assert sandbox.log_text.count("ready for connections") == 2
    assert any(line.endswith(f"as process {sandbox.pid}") for line in recovery.log_lines[:3])
    sandbox.restart(DURABLE)
    assert sandbox.log_text.count("ready for connections") == 1


@needs_disk
def test_a_fresh_server_can_lie_on_a_disk_too(on_disk):
    sandbox, disk = on_disk(DURABLE, key="")
    lose_power(sandbox, disk, DURABLE)
    assert ask(sandbox, "SELECT 1") == ((1,),)


def test_no_answer_comes_out_of_a_frozen_server(make_sandbox):
    sandbox = make_sandbox({}, name="frozen", trace=False)
    answers: list[float] = []

    def client() -> None:
        with contextlib.closing(connect(sandbox.target)) as connection, contextlib.suppress(pymysql.Error):
            while True:
                connection.query("SELECT 1")
                answers.append(time.monotonic())

    thread = threading.Thread(target=client)
    thread.start()
    wait_until(lambda: len(answers) >= 100)
    sandbox.freeze()
    # What was on its way arrives yet, as late as this machine likes; a server that goes on is never quiet.
    wait_until(lambda: time.monotonic() - answers[-1] > 1)
    before = len(answers)
    time.sleep(0.3)
    assert len(answers) == before
    sandbox.kill()
    thread.join(LIMIT_S)
    assert not sandbox.running
    assert sandbox.recover({}).seconds > 0


@needs_disk
def test_a_cut_catches_a_flush_in_progress_and_nobody_is_told(on_disk):
    sandbox, disk = on_disk(DURABLE)
    told: list[bool] = []
    connection = connect(sandbox.target)  # a login that the freeze cuts short would be an error of another kind
    sandbox.settle()

    def client() -> None:
        with contextlib.closing(connection), contextlib.suppress(pymysql.Error):
            connection.query("INSERT INTO crash.t VALUES (1)")
            told.append(True)

    disk.storage(3_000_000)  # long enough for us to come in between, however busy the machine
    thread = threading.Thread(target=client)
    thread.start()
    wait_until(lambda: disk.stats().pending_bytes)
    disk.hold_flushes()
    sandbox.freeze()
    time.sleep(4)  # longer than the flush would have taken
    assert disk.cut().lost_bytes > 0
    time.sleep(0.1)  # the server's fsync has returned
    sandbox.kill()
    thread.join(LIMIT_S)
    disk.storage(0)
    disk.power_on()
    sandbox.recover(DURABLE)
    assert (told, rows(sandbox)) == ([], 0)


def test_a_server_that_does_not_recover_is_reported_with_its_error(make_sandbox):
    sandbox = make_sandbox({}, name="broken", trace=False)
    sandbox.kill()
    (sandbox.datadir / "ibdata1").write_bytes(b"noise" * 4096)
    with pytest.raises(SandboxError, match=r"did not start.*\[ERROR\]"):
        sandbox.recover({})
    assert "ready for connections" in sandbox.log_text
    assert not sandbox.running
    with pytest.raises(SandboxError, match="does not run"):
        sandbox.freeze()


def test_a_lost_account_is_reported(make_sandbox, monkeypatch):
    monkeypatch.setattr("workers.sandbox.server.REFUSED_S", 0.5)
    sandbox = make_sandbox({}, name="forgets us", trace=False)
    ask(sandbox, "CREATE USER other@localhost IDENTIFIED BY 'x'")
    ask(sandbox, "RENAME USER durascope@localhost TO gone@localhost")
    sandbox.kill()
    with pytest.raises(SandboxError, match=r"our account was lost \(.* does not accept this account"):
        sandbox.recover({})


@needs_disk
@pytest.mark.skipif(not FLUSHES, reason="the numbers of its system calls are not known here")
def test_a_server_that_waits_for_a_disk_that_is_held_can_be_ended(on_disk, monkeypatch):
    """It waits in the kernel for a flush that does not end, and no kill reaches it there."""
    sandbox, disk = on_disk(DURABLE)

    def client() -> None:
        with contextlib.suppress(pymysql.err.Error, ServerError):
            insert(sandbox)

    thread = threading.Thread(target=client)
    disk.hold_flushes()
    thread.start()
    wait_until(lambda: waits_for_a_flush(sandbox.pid))
    with monkeypatch.context() as short:
        short.setattr("workers.sandbox.server.KILL_TIMEOUT_S", 0.5)
        with pytest.raises(SandboxError, match="It waits for a device that does not answer"):
            sandbox.kill()
    disk.give_way()
    sandbox.kill()
    thread.join(LIMIT_S)
    assert not sandbox.running
