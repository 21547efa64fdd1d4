"""Where the binlog of an attached server lies is its owner's word. The server's own would have us read any file."""

import pytest

from workers.crash.attached import AttachedServer
from workers.crash.inspect import BinlogPlace
from workers.crash.setup_and_result import Attached
from workers.errors import PlanError
from workers.servers.target import Target


@pytest.fixture
def index(tmp_path):
    path = tmp_path / "binlog.index"
    path.write_text("./binlog.000001\n")
    return path


def found(owners, told):
    target = Target(name="db1", kind="attached", user="u", password="", host="127.0.0.1")
    attached = Attached(target, "s", ("off",), ("on",), lambda: None, lambda: None, binlog_index=str(owners))
    return AttachedServer(attached).binlog_index({"log_bin_index": told, "hostname": "anything"})


def test_the_owner_says_where_it_is(index):
    assert found(index, "/data/binlog.index") == index


def test_it_may_have_any_name(index):
    renamed = index.rename(index.with_name("binlog.idx"))
    assert found(renamed, "/data/binlog.idx") == renamed
    assert BinlogPlace.now(renamed).first == "binlog.000001"


def test_an_empty_index_is_said_before_the_crash(index):
    index.write_text("\n")
    with pytest.raises(
        PlanError, match=r"binlog\.index is empty: the server was not crashed\. Mark it expendable again"
    ):
        BinlogPlace.now(index)


def test_a_server_too_old_to_tell_has_its_owners_word(index):
    assert found(index, "") == index


def test_a_path_reported_by_the_server_is_never_read(index):
    assert found("", str(index)) is None, "even if it is readable here"


def test_a_file_that_is_not_there_is_said_before_the_crash(index):
    index.unlink()
    with pytest.raises(PlanError, match="cannot read the binary log index"):
        found(index, "/data/binlog.index")
    index.mkdir()
    with pytest.raises(PlanError, match="cannot read the binary log index"):
        found(index, "/data/binlog.index")


def test_an_index_of_another_name_may_be_another_servers(index):
    with pytest.raises(PlanError, match="its owner names another file"):
        found(index, "/data/mysql-bin.index")
