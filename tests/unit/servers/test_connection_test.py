"""A connection test runs in a child process: a server that hangs it is told, and nothing else hangs."""

import pytest

from workers.errors import ServerError
from workers.host.apart import ApartLimits
from workers.servers import children, connection_test, dump, reading
from workers.servers.dump.copy import CopyLimits
from workers.servers.target import Target


def silent(caller):
    caller.recv(4096)  # until it hangs up


@pytest.fixture(autouse=True)
def closed():
    yield
    children.CHILDREN.close()


def test_a_child_that_was_ended_is_a_failed_test_with_a_sentence(server):
    target = server(silent)
    found = connection_test.run_apart(target, ApartLimits(0.3))
    first, *rest = found.checks
    assert (first.outcome, found.facts, found.durability) == ("failed", None, ())
    assert f"The process that read the answers of {target.where} took more than 0.3 s." in first.says
    assert {one.outcome for one in rest} == {"unknown"}


def test_a_server_that_is_not_there_is_told_as_ever():
    found = connection_test.run_apart(Target("y", "attached", "u", "p", host="127.0.0.1", port=1, tls="off"))
    assert "Nothing listens" in found.checks[0].says


def test_an_audit_and_a_dump_end_with_a_sentence_too(server, tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "GRACE_S", 0.0)
    assert "did not answer in time" in reading.read_apart(server(silent), 0.4).why
    monkeypatch.setattr(dump.apart, "GRACE_S", 0.0)
    with pytest.raises(ServerError, match=r"took more than 0.3 s"):
        dump.copy(server(silent), tmp_path, limits=CopyLimits(seconds=0.3))
