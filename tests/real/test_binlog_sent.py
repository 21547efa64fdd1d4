"""Binary logs that servers send as to a replica: judged exactly as the files on disk are, damaged ones too."""

import contextlib
import shutil
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path

import pytest

from tests.real.binlog_server import SCHEMA, SECRET, commit, log_files, prepare, query
from tests.real.encrypted import encrypted
from tests.real.parts import until
from workers.crash import transactions
from workers.crash.binlog import BinlogUnknown, read
from workers.crash.evidence import BinlogSeen
from workers.crash.inspect import SentBinlog
from workers.errors import MissingPrivilege, SandboxError, ServerError
from workers.sandbox import builds
from workers.sandbox.builds import Build
from workers.sandbox.server import Sandbox
from workers.servers import ask, dump
from workers.servers.connection import connect
from workers.servers.dump import CopyLimits
from workers.servers.target import Target

BUILDS = ("system-mariadb", "mariadb-11.8", "mysql-8.0.33", "mysql-9.7")
EACH = 40
LOGIN_AND_A_BIT = 3000  # bytes of answers: the dump has begun
FLAG_AT = 21  # of the first event: "in use", which the server clears in what it sends
READER, SECRET_WORD = "reader", "only its log"


@pytest.fixture(scope="module", params=BUILDS)
def build(request: pytest.FixtureRequest) -> Build:
    try:
        return builds.find(request.param)
    except SandboxError as absent:
        pytest.skip(str(absent))


@pytest.fixture(scope="module")
def server(sandbox_root, build):
    gtids = {"gtid_mode": "ON", "enforce_gtid_consistency": "ON"} if build.flavour == "mysql" else {}
    with Sandbox.create(sandbox_root, build, {"log_bin": "ON", **gtids}, name="sent", trace=False) as made:
        query(made, f"CREATE USER '{READER}'@'%' IDENTIFIED BY '{SECRET_WORD}'", schema="")
        yield made


@pytest.fixture
def written(server, build):
    """The first file of a log with several: plain, compressed, without checksums, and open at its end."""
    prepare(server)
    query(server, "FLUSH BINARY LOGS")
    first = log_files(server)[-1].name
    for client, setting in enumerate(("", packing(build, on=True), "binlog_checksum = NONE"), 1):
        query(server, *([f"SET GLOBAL {setting}"] if setting else []), "FLUSH BINARY LOGS")
        commit(server, client=client, first=1, last=EACH)
    yield first
    query(server, f"SET GLOBAL {packing(build, on=False)}", "SET GLOBAL binlog_checksum = CRC32")


def packing(build: Build, *, on: bool) -> str:
    name = "log_bin_compress" if build.flavour == "mariadb" else "binlog_transaction_compression"
    also = ", GLOBAL log_bin_compress_min_len = 10" if build.flavour == "mariadb" else ""
    return f"{name} = {'ON' if on else 'OFF'}{also}"


def restricted(server: Sandbox, *rights: str) -> Target:
    """An account with these rights alone, over TCP: it has no file of the server's host."""
    named = f"'{READER}'@'%'"
    query(server, f"REVOKE ALL PRIVILEGES, GRANT OPTION FROM {named}", schema="")
    for right in rights:
        query(server, f"GRANT {right} ON *.* TO {named}", schema="")
    return replace(server.target, user=READER, password=SECRET_WORD, socket="", host="127.0.0.1")


def reader(server: Sandbox) -> Target:
    return restricted(server, "REPLICATION SLAVE", "REPLICATION CLIENT")


@contextmanager
def relay_of_limited_answers(port: int, most: int, stalls: bool) -> Iterator[int]:
    """Leads to the port. Its second connection is cut after so many bytes of answers, or never gets more."""
    listening, over = socket.create_server(("127.0.0.1", 0)), threading.Event()

    def pass_on(one: socket.socket, other: socket.socket, left: int) -> None:
        with contextlib.suppress(OSError):
            while left > 0 and (found := one.recv(min(left, 65536))):
                other.sendall(found)
                left -= len(found)
            if left <= 0 and stalls:
                over.wait()
            other.shutdown(socket.SHUT_RDWR)

    def serve() -> None:
        for allowed in (1 << 30, most):
            caller, _ = listening.accept()
            with caller, socket.create_connection(("127.0.0.1", port)) as there:
                back = threading.Thread(target=pass_on, args=(there, caller, allowed))
                back.start()
                pass_on(caller, there, 1 << 30)
                back.join()

    serving = threading.Thread(target=serve)
    serving.start()
    try:
        yield listening.getsockname()[1]
    finally:
        over.set()
        serving.join()
        listening.close()


def files_from(server: Sandbox, first: str) -> list[Path]:
    return [file for file in log_files(server) if file.name >= first]


def content(found: BinlogSeen) -> dict[str, object]:
    """Everything that was read, as values that compare."""
    told = {field.name: getattr(found, field.name) for field in fields(found)}
    told |= {field.name: getattr(found.seen, field.name).tolist() for field in fields(found.seen)}
    told |= {"gtids": list(found.gtids.items()), "order": found.order.tolist(), "scattered": found.scattered.tolist()}
    del told["seen"]
    return told


def both(server: Sandbox, first: str) -> tuple[dict[str, object], dict[str, object]]:
    sent = SentBinlog(reader(server), first).read(SCHEMA, SECRET)
    return content(sent), content(read(files_from(server, first), SCHEMA, SECRET))


def test_every_byte_is_the_same(server, written, tmp_path):
    sent = dump.copy(reader(server), tmp_path, written)
    files = files_from(server, written)
    assert [file.name for file in sent.files] == [file.name for file in files]
    for ours, theirs in zip(sent.files, files, strict=True):
        a, b = ours.read_bytes(), theirs.read_bytes()
        assert len(a) == len(b) and {at for at in range(len(a)) if a[at] != b[at]} <= {FLAG_AT}
    assert sent.refused == {}


def test_a_sent_binlog_is_judged_as_its_files_on_disk(server, written):
    sent, of_files = both(server, written)
    assert sent == of_files
    assert sent["whole"] == [transactions.key(client, n) for client in (1, 2, 3) for n in range(1, EACH + 1)]


def test_a_flipped_byte_is_called_by_both(server, written):
    """The positive control: time, type, length, end, flags, body and checksum of an event in the middle of a file."""
    damaged = files_from(server, written)[1]
    begin, end = event_in_the_middle(damaged)
    stops = f"A replica stops at byte {begin:,} of {damaged.name}"
    same = ("whole", "parts", "altered", "twice", "gtids", "order", "scattered", "gaps", "reused", "others")
    for place in (0, 4, 9, 13, 17, 30, -2):
        with flipped(damaged, begin + place if place >= 0 else end + place):
            sent, of_files = both(server, written)
        assert {name: sent[name] for name in same} == {name: of_files[name] for name in same}, place
        assert stops in str(sent["unreadable"]) and stops in str(of_files["unreadable"]), place
        assert sent["end_at"] == of_files["end_at"] == f"{damaged.name}:{begin}", place
        assert len(sent["whole"]) < 3 * EACH, "the rest of the file is not there"


def event_in_the_middle(file: Path) -> tuple[int, int]:
    data, at = file.read_bytes(), 4
    while at < len(data) // 2:
        at += int.from_bytes(data[at + 9 : at + 13], "little")
    return at, at + int.from_bytes(data[at + 9 : at + 13], "little")


class flipped:
    def __init__(self, file: Path, at: int) -> None:
        self._file, self._at = file, at

    def __enter__(self) -> None:
        with self._file.open("r+b") as opened:
            opened.seek(self._at)
            before = opened.read(1)
            opened.seek(self._at)
            opened.write(bytes([before[0] ^ 0x55]))

    def __exit__(self, *_: object) -> None:
        self.__enter__()


def test_a_transaction_that_is_missing_in_the_log_is_called(server, written):
    """The positive control of losses: the commits of a client that the server did not log."""
    query(server, "SET sql_log_bin = 0", *(f"INSERT INTO one VALUES (9, {n}, 0, 0)" for n in (1, 2)))
    sent, of_files = both(server, written)
    logged = {key >> transactions.CLIENT_SHIFT for key in sent["whole"]}
    assert sent == of_files and logged == {1, 2, 3}
    assert query(server, "SELECT COUNT(*) FROM one WHERE client = 9") == ((2,),)


def test_an_encrypted_log_is_read_as_if_it_were_not(build, sandbox_root, tmp_path_factory):
    folder = sandbox_root / f"keys-{build.key}"
    folder.mkdir()
    folder.chmod(0o755)
    try:
        with encrypted(sandbox_root, folder, build) as server:
            prepare(server)
            query(server, "FLUSH BINARY LOGS")
            first = log_files(server)[-1].name
            commit(server, client=1, first=1, last=EACH)
            query(server, f"SET GLOBAL {packing(build, on=True)}", "FLUSH BINARY LOGS")
            commit(server, client=2, first=1, last=EACH)
            found = content(SentBinlog(server.target, first).read(SCHEMA, SECRET))
            with pytest.raises(BinlogUnknown, match="encrypt"):
                read(files_from(server, first), SCHEMA, SECRET)
    finally:
        shutil.rmtree(folder)
    committed = [transactions.key(client, n) for client in (1, 2) for n in range(1, EACH + 1)]
    assert found["whole"] == found["order"] == committed
    assert [key for _, key in found["gtids"]] in ([], committed)
    assert (found["odd"].first, found["others"].first, found["gaps"].first, found["unreadable"]) == ((), (), (), "")


@pytest.mark.parametrize("lacking", ["REPLICATION SLAVE", "REPLICATION CLIENT"])
def test_a_missing_right_names_its_grant(server, build, lacking):
    rights = {"REPLICATION SLAVE", "REPLICATION CLIENT"} - {lacking}
    with pytest.raises(MissingPrivilege) as refused:
        SentBinlog.now(restricted(server, *rights))
    names = ("BINLOG MONITOR", lacking) if lacking == "REPLICATION CLIENT" else (lacking,)
    assert refused.value.fix in {f"GRANT {name} ON *.* TO '{READER}'@'%';" for name in names}


def test_the_list_of_prepared_transactions_needs_a_right_of_its_own_on_mysql(server, build):
    with connect(reader(server)) as link:
        if build.flavour == "mariadb":
            assert ask.rows(link, "XA RECOVER") == []
            return
        with pytest.raises(MissingPrivilege) as refused:
            ask.rows(link, "XA RECOVER")
    assert refused.value.fix == f"GRANT XA_RECOVER_ADMIN ON *.* TO '{READER}'@'%';"
    with connect(restricted(server, "XA_RECOVER_ADMIN")) as link:
        assert ask.rows(link, "XA RECOVER") == []


def test_a_log_that_was_purged_is_named(server, written):
    first = written
    query(server, "FLUSH BINARY LOGS", f"PURGE BINARY LOGS TO '{log_files(server)[-1].name}'")
    with pytest.raises(ServerError, match=f"no longer the binary log file {first}: it was purged"):
        SentBinlog(reader(server), first).read(SCHEMA, SECRET)


def test_more_than_the_limit_is_given_up(server, written, tmp_path):
    with pytest.raises(ServerError, match="bytes of binary log of this trial, and 9,000 may be copied"):
        dump.copy(reader(server), tmp_path, written, CopyLimits(whole_bytes=9000))


@pytest.mark.parametrize(("stalls", "says"), [(False, "it hung up"), (True, "it (took too long|timed out)")])
def test_a_server_that_goes_away_or_falls_silent_is_given_up(server, written, tmp_path, stalls, says):
    """A relay passes on the answers of the first connection, and of the second only as much as a login needs."""
    target = reader(server)
    with relay_of_limited_answers(target.port, LOGIN_AND_A_BIT, stalls) as port, pytest.raises(ServerError, match=says):
        dump.copy(replace(target, port=port), tmp_path, written, CopyLimits(seconds=4))


def test_events_of_more_than_16_mib_arrive_whole(server, build, tmp_path):
    most = query(server, "SELECT @@max_allowed_packet", schema="")[0][0]
    query(server, "SET GLOBAL max_allowed_packet = 67108864", schema="")
    try:
        prepare(server)
        query(server, "CREATE TABLE large (a INT PRIMARY KEY, b LONGBLOB)", "FLUSH BINARY LOGS")
        first = log_files(server)[-1]
        query(server, "INSERT INTO large VALUES (1, REPEAT(RANDOM_BYTES(1024), 20480))")
        sent = dump.copy(reader(server), tmp_path, first.name).files[0].read_bytes()
    finally:
        query(server, "DROP TABLE IF EXISTS large", f"SET GLOBAL max_allowed_packet = {most}")
    theirs = first.read_bytes()[: len(sent)]
    assert len(sent) > 20 << 20 and sent[22:] == theirs[22:]


def test_a_copy_stops_at_the_end_though_the_server_writes_on(server, written, tmp_path):
    """A busy server: what it writes after the begin of the copy is not waited for."""
    sent = dump.copy(reader(server), tmp_path, written)
    commit(server, client=4, first=1, last=EACH)
    assert sum(file.stat().st_size for file in sent.files) < sum(
        file.stat().st_size for file in files_from(server, written)
    )


def test_a_copy_goes_on_after_a_gtid_in_whichever_file_that_is(server, written, build, tmp_path):
    """As after a failover, when the files have other names: nothing but the GTIDs says where to begin."""
    name = "gtid_binlog_pos" if build.flavour == "mariadb" else "gtid_executed"
    position = query(server, f"SELECT @@GLOBAL.{name}")[0][0]
    commit(server, client=4, first=1, last=EACH)
    query(server, "FLUSH BINARY LOGS")
    commit(server, client=5, first=1, last=EACH)
    sent = dump.copy_after(reader(server), tmp_path, position)
    found, whole = read(sent.files, SCHEMA, SECRET, sent.refused), read(files_from(server, written), SCHEMA, SECRET)
    later = [transactions.key(client, n) for client in (4, 5) for n in range(1, EACH + 1)]
    assert found.order.tolist() == found.seen.whole.tolist() == later
    assert list(found.gtids.items()) == list(whole.gtids.items())[-len(later) :]
    assert (found.end_at, found.unreadable, found.odd.first) == (whole.end_at, "", ())


def test_the_reader_leaves_no_connection_on_the_server(server, written):
    SentBinlog(reader(server), written).read(SCHEMA, SECRET)
    shown = "SHOW REPLICAS" if server.build.flavour == "mysql" else "SHOW SLAVE HOSTS"
    until(lambda: query(server, shown, schema="") == ())
    dumping = "SELECT COUNT(*) FROM information_schema.processlist WHERE command LIKE 'Binlog Dump%'"
    until(lambda: query(server, dumping, schema="") == ((0,),))
