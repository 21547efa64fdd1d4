"""How a server is asked for its binary log, and what becomes of its refusals."""

import struct
import sys

import pytest

from tests.unit.servers.played import Played
from tests.unit.servers.test_binlog_dump import END, LOG, OTHER, event, framed, next_file
from workers.errors import MissingPrivilege, ServerError
from workers.servers.dump.copy import CopyLimits, LogFile, copy, copy_after, listed
from workers.servers.dump.packets import DumpRefused
from workers.servers.dump.session import DUMP, DUMP_GTID, REGISTER, DumpSession
from workers.servers.target import Target

TARGET = Target("db", "attached", "u", "p", host="h")
MOST = 1 << 20
REGISTERED = framed(b"\0" + bytes(6))
SENT = event(2, b"sent", 31)


def refusal(number, says="bogus data"):
    return b"\xff" + struct.pack("<H", number) + b"#HY000" + says.encode()


class Source(Played):
    """`answers`: the bytes that it sends for each command in turn."""

    def __init__(self, *answers, version="10.11.6-MariaDB"):
        logs = [(LOG, 31), (OTHER, 31)]
        rows = {"SELECT VERSION()": [(version,)], "SELECT CURRENT_USER()": [("u@h",)], "SHOW BINARY LOGS": logs}
        super().__init__({**rows, "SET": []})
        self.commands, self._left = [], list(answers)

    def command(self, number, body):
        self.commands.append((number, body))

    def arrived(self, most):
        return self._left.pop(0)


def test_the_log_is_asked_for_as_by_a_replica_with_a_number_that_no_server_has():
    source = Source(REGISTERED)
    DumpSession(source, MOST)
    asked = {sql for sql, _ in source.said}
    assert any("binlog_checksum = 'CRC32'" in sql for sql in asked), "without it no event has a checksum"
    ((command, body),) = source.commands
    assert command == REGISTER and struct.unpack_from("<I", body)[0] >= 1 << 31


def test_mariadb_sends_what_is_not_among_the_gtids():
    source = Source(REGISTERED, framed(b"\0one", END))
    assert list(DumpSession(source, MOST).after("0-1-7")) == [[b"one"]]
    assert any("@slave_connect_state" in sql and args == ["0-1-7"] for sql, args in source.said)
    assert source.commands[-1][0] == DUMP


def test_mysql_is_asked_by_gtids_in_its_own_form():
    source = Source(REGISTERED, framed(END), version="8.0.33")
    list(DumpSession(source, MOST).after("3e11fa47-71ca-11e1-9e33-c80aa9429562:1-5"))
    command, body = source.commands[-1]
    assert command == DUMP_GTID and body.endswith(struct.pack("<QQQ", 1, 1, 6))


@pytest.mark.parametrize(
    ("number", "raised", "fix"),
    [
        (1236, DumpRefused, None),
        (13114, DumpRefused, None),
        (1045, MissingPrivilege, "GRANT REPLICATION SLAVE ON *.* TO 'u'@'h';"),
        (1290, ServerError, None),
    ],
)
def test_a_damaged_log_a_missing_grant_and_other_refusals_are_told_apart(number, raised, fix):
    session = DumpSession(Source(REGISTERED, framed(refusal(number))), MOST)
    with pytest.raises((DumpRefused, ServerError)) as refused:
        list(session.of_file(LOG))
    assert type(refused.value) is raised
    assert fix is None or refused.value.fix == fix


@pytest.mark.parametrize(
    ("sent", "files", "refused"),
    [
        ([next_file(LOG), SENT, next_file(OTHER), SENT], [LOG, OTHER], {}),
        ([next_file(OTHER), SENT], [OTHER], {}),
        ([next_file(LOG), SENT, None], [LOG], {LOG: "bogus data (1236)"}),
        ([None], [OTHER], {OTHER: "bogus data (1236)"}),
    ],
    ids=["both files", "from the second file on", "a file that the server cannot read", "refused at once"],
)
def test_the_files_with_missing_transactions_are_copied(tmp_path, monkeypatch, sent, files, refused):
    answer = framed(*(refusal(1236) if one is None else b"\0" + one for one in sent))
    source = Source(REGISTERED, answer)
    monkeypatch.setattr(sys.modules[copy.__module__], "connect", lambda *_, **__: source)
    found = copy_after(TARGET, tmp_path, "0-1-7")
    assert ([path.name for path in found.files], found.refused) == (files, refused)
    begun = [name for name in files if name in {path.name for path in tmp_path.iterdir()}]
    assert all((tmp_path / name).read_bytes() == b"\xfebin" + SENT for name in begun)


@pytest.mark.parametrize(
    "sent", [[], [next_file(LOG), SENT], [next_file(LOG), SENT, next_file(OTHER)]], ids=["all", "a file", "an event"]
)
def test_a_log_that_ends_before_the_listed_end_is_not_copied(tmp_path, monkeypatch, sent):
    """Its missing commits would count as missing from the binary log."""
    source = Source(REGISTERED, framed(*(b"\0" + one for one in sent), END))
    monkeypatch.setattr(sys.modules[copy.__module__], "connect", lambda *_, **__: source)
    with pytest.raises(ServerError, match=f"ended before the end of {OTHER}"):
        copy(TARGET, tmp_path)


def test_a_file_that_was_begun_after_the_listing_does_not_hide_the_end(tmp_path, monkeypatch):
    sent = (next_file(LOG), SENT, next_file(OTHER), SENT, next_file("log.000099"), SENT)
    source = Source(REGISTERED, framed(*(b"\0" + one for one in sent), END))
    monkeypatch.setattr(sys.modules[copy.__module__], "connect", lambda *_, **__: source)
    assert [path.name for path in copy(TARGET, tmp_path).files] == [LOG, OTHER]
    assert (tmp_path / OTHER).read_bytes() == b"\xfebin" + SENT


def test_the_header_of_an_encrypted_file_is_not_sent():
    assert listed(Played({"SHOW BINARY LOGS": [(LOG, 543, "Yes"), (OTHER, 31, "No")]})) == [
        LogFile(LOG, 31),
        LogFile(OTHER, 31),
    ]


def test_a_copy_ends_at_the_end_of_the_newest_file(tmp_path, monkeypatch):
    """A server that writes on sends without end."""
    source = Source(REGISTERED, framed(*(b"\0" + one for one in (next_file(LOG), SENT, next_file(OTHER), SENT))))
    monkeypatch.setattr(sys.modules[copy.__module__], "connect", lambda *_, **__: source)
    found = copy(TARGET, tmp_path)
    assert [path.name for path in found.files] == [LOG, OTHER] and found.refused == {}
    assert (tmp_path / OTHER).read_bytes() == b"\xfebin" + SENT


@pytest.mark.parametrize(
    "row",
    [(".", 31), ("..", 31), ("a/b", 31), ("", 31), ("x" * 300, 31), (LOG, "many"), (LOG, -5), (LOG, None)],
    ids=lambda row: f"{str(row[0])[:9]} {row[1]}",
)
def test_a_listing_that_no_server_sends_is_refused_with_a_sentence(row):
    with pytest.raises(ServerError) as refused:
        listed(Played({"SHOW BINARY LOGS": [row]}))
    assert len(refused.value.message) < 300


def test_a_copy_of_many_refused_files_ends_at_its_deadline(tmp_path, monkeypatch):
    """Each file needs a connection: without asking at each, thousands of them went on for hours."""
    source = Source(*[REGISTERED, framed(refusal(1236))] * 100)
    names = [(f"log.{n:06}", 31) for n in range(100)]
    source.answers["SHOW BINARY LOGS"] = names
    clock = iter(range(10_000))
    module = sys.modules[copy.__module__]
    monkeypatch.setattr(module, "connect", lambda *_, **__: source)
    monkeypatch.setattr(module.time, "monotonic", lambda: next(clock))
    with pytest.raises(ServerError, match="it takes longer than 10 s"):
        copy(TARGET, tmp_path, limits=CopyLimits(seconds=10))
    assert len(source.commands) <= 20
