"""The binary log of a server on another host, which may be another server after a failover."""

from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.unit.crash.case import all_well, ledger
from workers.crash import inspect
from workers.crash.collect import Case, with_reissued
from workers.crash.inspect import SentBinlog
from workers.errors import ServerError
from workers.servers.identity import ServerName
from workers.servers.target import Target

TARGET = Target("db", "attached", "u", "p", host="h")
ONE, OTHER = ServerName("one"), ServerName("other")


@pytest.fixture
def asked(monkeypatch):
    """What was copied, and how many servers wrote it; OTHER answers."""
    found = []

    def copied(way):
        return lambda target, folder, since: found.append((way, since)) or SimpleNamespace(files=(), refused={})

    monkeypatch.setattr(inspect, "connect", lambda target: nullcontext())
    monkeypatch.setattr(inspect, "server_name", lambda link: OTHER)
    monkeypatch.setattr(inspect.dump, "copy", copied("from a file on"))
    monkeypatch.setattr(inspect.dump, "copy_after", copied("after GTIDs"))
    monkeypatch.setattr(inspect.binlog, "read", lambda *_, servers, bounds: found.append(servers))
    monkeypatch.setattr(inspect.temporary, "folder", lambda name: nullcontext(Path("/nowhere")))
    return found


def test_the_log_from_now_on_is_that_of_the_server_that_answers(asked, monkeypatch):
    monkeypatch.setattr(inspect.dump, "newest", lambda target: SimpleNamespace(name="binlog.000007"))
    monkeypatch.setattr(inspect.ask, "names_to_values", lambda link, sql: {"gtid_binlog_pos": "0-1-9"})
    assert SentBinlog.now(TARGET) == SentBinlog(TARGET, "binlog.000007", OTHER, "0-1-9")


@pytest.mark.parametrize("server", [OTHER, None])
def test_the_same_server_sends_its_log_from_the_first_file_on(asked, server):
    SentBinlog(TARGET, "binlog.000007", server, "0-1-9").read("schema", b"secret")
    assert asked == [("from a file on", "binlog.000007"), 1]


def test_another_server_sends_what_follows_the_gtids_before_the_crash(asked):
    """Its files have other names."""
    SentBinlog(TARGET, "binlog.000007", ONE, "0-1-9").read("schema", b"secret")
    assert asked == [("after GTIDs", "0-1-9"), 2]


def test_without_gtids_the_log_of_another_server_cannot_be_read(asked):
    with pytest.raises(ServerError, match="Another server answers now") as refused:
        SentBinlog(TARGET, "binlog.000007", ONE).read("schema", b"secret")
    assert "GTIDs on" in refused.value.fix and asked == []


@pytest.mark.parametrize(("reused", "told"), [((), False), (("0-1-7",), True)])
def test_without_files_only_a_gtid_that_the_log_holds_twice_is_told(reused, told):
    look = SimpleNamespace(log=SentBinlog(TARGET), problems=["slow"], secret=b"")
    case = Case(look=look, ledger=ledger(), has_binlog=True, has_gtids=True, before=None, gtid_before="0-1-6")
    assert not case.expected().replica_expected and not case.expected().others_write, "unless it is said"
    found = with_reissued(case, all_well(state={"reused": reused}), {"0-1-7": 1}, True)
    assert (found.gtids_expected, found.problems) == (told, ("slow",))
