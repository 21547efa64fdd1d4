"""What the inspector makes of a server's answers. The real ring asks real servers."""

from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace

import pytest

from tests.unit.crash.binlog_bytes import SCHEMA, SECRET, Binlog, digest_of
from workers.crash import inspect
from workers.crash.binlog import BinlogUnknown
from workers.crash.compare_tables import WRITES_AFTER
from workers.crash.inspect import PROBES, BinlogPlace, Inspector
from workers.crash.transactions import key

FINE = [(table, "check", "status", "OK") for table in ("one", "left_half", "right_half")]


class Server:
    """`answers`: the beginning of a statement -> rows."""

    target = None

    def __init__(self, answers):
        self.answers, self.asked, self.schema = answers, [], ""

    def select_db(self, name):
        self.schema = name

    def rows(self, link, sql, args=(), most_bytes=0):
        assert link is self
        self.asked.append(sql)
        return next((rows for begin, rows in self.answers.items() if sql.startswith(begin)), [])


@pytest.fixture
def inspector(monkeypatch):
    def make(answers, log=None):
        server = Server(answers)
        monkeypatch.setattr(inspect, "connect", lambda target: nullcontext(server))
        monkeypatch.setattr("workers.servers.ask.rows", server.rows)
        return Inspector(server, SCHEMA, SECRET, log), server

    return make


def place(folder, *keys) -> BinlogPlace:
    log = Binlog()
    for number, (client, n) in enumerate(keys, 1):
        log.commit(client, n, number)
    folder.mkdir()
    (folder / "binlog.000001").write_bytes(log.data)
    (folder / "binlog.index").write_text("./binlog.000001\n")
    return BinlogPlace(folder / "binlog.index")


@pytest.mark.parametrize(
    ("named", "purged"),
    [
        (("binlog.000007", "binlog.000008"), False),
        (("binlog.000008", "binlog.000009"), True),
        (("binlog.000010",), True),
        (("binlog.000005", "binlog.000006"), False),
        (("binlog.000006", "binlog.000008"), False),
        (("binlog.000001",), False),
        ((), False),
        (("other",), False),
    ],
    ids=["nothing", "the first one", "by a larger number", "lost with the index", "the index lost it", "all new",
         "the whole index", "no number"],
)  # fmt: skip
def test_a_purge_during_the_trial_is_unclear_and_a_loss_is_not(tmp_path, named, purged):
    """A server numbers its files on and purges the oldest ones. A crash loses the newest."""
    (tmp_path / "binlog.index").write_text("".join(f"./{name}\n" for name in named))
    place = BinlogPlace(tmp_path / "binlog.index", "binlog.000007")
    with pytest.raises(BinlogUnknown, match=r"purged .* binlog\.000007 is gone") if purged else nullcontext():
        found = [path.name for path in place.files()]
        assert found == list(named)


def test_a_purged_binlog_leaves_its_checks_unclear(inspector, tmp_path):
    log = replace(place(tmp_path / "now", (0, 1)), first="binlog.000000")
    look, _ = inspector({}, log)
    assert look.binlog() is None and "purged during the trial" in look.problems[0]


def test_prepared_transactions_are_counted(inspector):
    assert inspector({"XA RECOVER": [(1,), (2,)]})[0].prepared_left() == 2
    assert inspector({})[0].prepared_left() == 0


@pytest.mark.parametrize(
    ("said", "ok"),
    [
        (FINE, True),
        ([*FINE[:2], ("right_half", "check", "error", "Corrupt")], False),
        ([("one", "check", "warning", "1 client is using or hasn't closed the table"), *FINE], True),
    ],
)
def test_the_tables_are_checked(inspector, said, ok):
    one, server = inspector({"CHECK TABLE": said})
    assert one.tables_ok() is ok
    assert server.asked == [f"CHECK TABLE `{SCHEMA}`.`one`, `{SCHEMA}`.`left_half`, `{SCHEMA}`.`right_half`"]


NOTE = ("one", "check", "note", "The storage engine doesn't support check")


@pytest.mark.parametrize("said", [[], [NOTE], [*FINE, NOTE]])
def test_an_engine_that_cannot_be_checked_is_not_known_to_be_well(inspector, said):
    one, _ = inspector({"CHECK TABLE": said})
    assert one.tables_ok() is None
    assert "CHECK TABLE: The tables cannot be checked" in one.problems[0]


def test_a_binlog_on_another_host_is_not_known(inspector):
    one, _ = inspector({})
    assert one.binlog() is None
    assert "cannot be read from this host" in one.problems[0]


def test_the_copy_of_a_binlog_has_its_limit(inspector, tmp_path, monkeypatch):
    log = place(tmp_path / "data", (0, 1))
    (tmp_path / "data" / "binlog.000002").write_bytes(log.files()[0].read_bytes())
    log.index.write_text("./binlog.000001\n./binlog.000002\n")
    size = sum(path.stat().st_size for path in (log.index, *log.files()))
    monkeypatch.setattr(inspect.binlog, "MOST_BYTES", size)
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    assert inspect.keep_binlog(log, tmp_path / "one").files()[0].read_bytes() == log.files()[0].read_bytes()
    monkeypatch.setattr(inspect.binlog, "MOST_BYTES", size - 1)
    with pytest.raises(OSError, match="larger"):
        inspect.keep_binlog(log, tmp_path / "two")


def test_the_inspector_writes_transactions_of_no_client(inspector):
    one, server = inspector({})
    assert one.write_on() is True
    assert (server.schema, len(server.asked)) == (SCHEMA, PROBES) == (SCHEMA, 20)
    assert all(sql.startswith(f"INSERT INTO one VALUES ({WRITES_AFTER},") for sql in server.asked)


def test_gtids_that_name_another_transaction_now_are_reissued(inspector, tmp_path):
    one, _ = inspector({}, place(tmp_path / "data", (0, 1), (0, 2)))
    assert one.reissued({"0-7-1": key(0, 1), "0-7-2": key(1, 5)}) == ("0-7-2",)
    assert inspector({})[0].reissued({}) is None


def test_the_binlog_is_compared_with_its_copy(inspector, tmp_path):
    before, now = place(tmp_path / "copy", (0, 1), (0, 2)), place(tmp_path / "data", (0, 1), (0, 3))
    one, _ = inspector({}, now)
    assert one.rewritten(before, one.binlog()).count == 1
    assert one.rewritten(now, one.binlog()).count == 0
    assert one.rewritten(None, one.binlog()) is None


def test_the_engine_is_read_row_by_row(inspector):
    table = [(0, 1, f"6,{digest_of(1, 6, 0)}")]
    one, _ = inspector({"SELECT table_name": [("one",)], "SELECT part": table})
    assert one.engine().whole.tolist() == [key(1, 6)]


def test_only_files_from_the_first_one_on_that_existed_by_then_are_read(tmp_path):
    place(tmp_path / "data")
    names = [f"binlog.00000{n}" for n in range(1, 5)]
    index = tmp_path / "data" / "binlog.index"
    index.write_text("".join(f"./{name}\n" for name in names))

    def files(**how):
        return [path.name for path in BinlogPlace(index, **how).files()]

    assert files() == names and files(first="binlog.000003") == names[2:]
    assert files(first="binlog.000009") == names, "the first one is gone"
    assert files(first="binlog.000002", among=frozenset(names[:3])) == names[1:3]
    assert BinlogPlace.now(index) == BinlogPlace(index, "binlog.000004")


@pytest.mark.parametrize(("said", "position"), [([("gtid_binlog_pos", "0-1-7")], "0-1-7"), ([], "")])
def test_the_position_is_that_of_either_vendor(inspector, said, position):
    assert inspector({"SHOW GLOBAL VARIABLES": said})[0].gtid_position() == position


def test_a_check_of_tables_without_an_answer_says_so(inspector):
    one, _ = inspector({"CHECK TABLE": []})
    assert one.tables_ok() is None and one.problems == ["CHECK TABLE: The tables cannot be checked: no answer."]
    one, _ = inspector({"CHECK TABLE": [NOTE]})
    assert one.tables_ok() is None and one.problems[0].endswith(f"cannot be checked: {NOTE[3]}.")


def test_own_tables_are_checked_and_own_rows_are_judged(inspector):
    """All rows of the ledger are there, and none of the own transaction."""
    own = SimpleNamespace(
        tables=("orders",), found=lambda link, schema: {"of": schema}, seen=lambda seen, found, secret: (seen, found)
    )
    one, server = inspector({"CHECK TABLE": FINE})
    one = replace(one, own=own)
    assert one.tables_ok() and server.asked[0].endswith(f"`{SCHEMA}`.`right_half`, `{SCHEMA}`.`orders`")
    assert one.engine()[1] == {"of": SCHEMA}
