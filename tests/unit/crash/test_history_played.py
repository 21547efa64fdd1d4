"""A small history is played: the order of its statements, of the disk and of the server, and what is noted."""

from contextlib import ExitStack, contextmanager, nullcontext
from types import SimpleNamespace

import pytest

from tests.unit.crash.binlog_bytes import Binlog
from workers.crash.points import play, server_content
from workers.crash.points.histories import SCHEMA, TABLES, AtOnce, History
from workers.crash.points.play import FLUSH_US
from workers.crash.points.server_content import ServerContent
from workers.errors import SandboxError
from workers.sandbox import options

INDEX = f"{options.BINLOG_BASE}.index"


class Noting:
    def __init__(self, name, notes, **values):
        self._name, self._notes = name, notes
        vars(self).update(values)

    def __getattr__(self, call):
        return lambda *given: self._notes.append(" ".join((f"{self._name}.{call}", *map(str, given))))


@pytest.fixture
def played(tmp_path, monkeypatch):
    """`played(history)`: what was played, and what was done in which order. The content is its number."""

    def run(history):
        notes, made = [], []

        @contextmanager
        def connect(target):
            made.append(Noting(f"client {len(made)}", notes))
            yield made[-1]

        def rows(connection, sql):
            notes.append(f"{connection._name}: {sql}")

        def content(connection, server):
            notes.append(f"{connection._name} looks")
            return sum(note.endswith("looks") for note in notes)

        monkeypatch.setattr(play, "connect", connect)
        monkeypatch.setattr(play.ask, "rows", rows)
        monkeypatch.setattr(play, "content", content)
        monkeypatch.setattr(play.owner, "live_folder", lambda root, name: nullcontext(tmp_path / name))
        monkeypatch.setattr(play.Recording, "load", lambda folder: f"read from {folder.name}")
        server, disk = Noting("server", notes, target="here"), Noting("disk", notes)
        with ExitStack() as stack:
            scene = SimpleNamespace(sandbox=server, disk=disk)
            found = play.play(SimpleNamespace(scene=scene, made=stack, setup=SimpleNamespace(root=tmp_path)), history)
        return found, [note.replace(str(tmp_path), "") for note in notes]

    return run


def test_each_statement_is_recorded_and_the_server_looked_at_after_it(played):
    found, notes = played(History("two", ((0, "INSERT 1"), (1, "INSERT 2"))))
    assert notes == [
        f"client 0: CREATE SCHEMA {SCHEMA}", *(f"client 0: {table}" for table in TABLES),
        f"client 1.select_db {SCHEMA}", f"client 2.select_db {SCHEMA}",
        "server.settle", f"disk.storage {FLUSH_US}", "disk.record /recording/recording", "client 0 looks",
        "client 1: INSERT 1", "client 0 looks", "client 2: INSERT 2", "client 0 looks",
        "server.freeze", "disk.stop_recording", "disk.storage 0", "disk.give_way", "server.kill",
    ]  # fmt: skip
    assert [(mark.statement, mark.content) for mark in found.marks] == [("", 1), ("INSERT 1", 2), ("INSERT 2", 3)]
    times = [mark.answered_ns for mark in found.marks]
    assert times == sorted(times) and (found.at_once, found.recording) == (None, "read from recording")


def test_statements_at_once_wait_for_each_other(played, monkeypatch):
    barriers = []

    class Barrier(play.Barrier):
        def __init__(self, parties):
            barriers.append(self)
            super().__init__(parties)
            self.waited = 0

        def wait(self):
            self.waited += 1
            return super().wait(20)

    monkeypatch.setattr(play, "Barrier", Barrier)
    both = (AtOnce(0, "INSERT a", "a", "of A"), AtOnce(1, "INSERT b", "b", "of B"))
    found, notes = played(History("at once", (), at_once=both))
    assert {"client 1: INSERT a", "client 2: INSERT b"} == set(notes[-8:-6]) and notes[-6:-4] == [
        "client 0 looks", "server.freeze",
    ]  # fmt: skip
    assert [one for one, _ in found.at_once.statements] == list(both) and found.at_once.content == 2
    assert all(told_ns > found.marks[-1].answered_ns for _, told_ns in found.at_once.statements)
    assert [(one.parties, one.waited) for one in barriers] == [(2, 2)]


def test_one_statement_at_once_waits_for_nobody(played):
    one = AtOnce(0, "INSERT a", "a", "of A")
    assert len(played(History("alone", (), at_once=(one,)))[0].at_once.statements) == 1


@pytest.fixture
def logs(tmp_path):
    """Two files of a binary log, of one and of two transactions."""
    names = [f"{options.BINLOG_BASE}.00000{number}" for number in (1, 2)]
    for name, numbers in zip(names, ((10,), (20, 30)), strict=True):
        log = Binlog()
        for number in numbers:
            log.commit(0, number, number)
        (tmp_path / name).write_bytes(log.data)
    (tmp_path / INDEX).write_text("".join(f"./{name}\n" for name in names))
    return tmp_path


def test_the_content_is_tables_prepared_transactions_and_the_logged_ones(logs, monkeypatch):
    answers = {
        server_content.CONTENT_SQL: [("show a", b"rows of a"), ("show b", "rows of b")],
        "show a": [("a", "CREATE a")],
        "show b": [("b", "CREATE\nb")],
        "rows of a": [("'a'", b"'1'", None)],
        "rows of b": [],
        "XA RECOVER": [(1, 1, 0, "y"), (1, 1, 0, b"x")],
    }
    monkeypatch.setattr(server_content.ask, "rows", lambda connection, sql: answers[sql])
    found = server_content.content("a connection", SimpleNamespace(datadir=logs))
    tables = (("a", "CREATE a", ("'a'\t'1'\tNULL",)), ("b", "CREATE\\nb", ()))
    assert found == ServerContent(tables, ("x", "y"), 3)


def test_without_a_binary_log_no_history_is_played(tmp_path):
    with pytest.raises(SandboxError, match="needs a server with a binary log"):
        server_content._logged(tmp_path)


def test_a_text_may_be_in_any_file_of_the_binary_log(tmp_path):
    for name, text in (("1", b"written by A"), ("2", b"written by B")):
        (tmp_path / f"{options.BINLOG_BASE}.{name}").write_bytes(b"\xff\x00" + text)
    (tmp_path / INDEX).write_text("".join(f"./{options.BINLOG_BASE}.{name}\n" for name in "12"))
    assert server_content.holds(tmp_path, ["written by A", "written by B"]) and server_content.holds(tmp_path, [])
    assert not server_content.holds(tmp_path, ["written by A", "written by C"])


EMPTY, BEFORE, AFTER = (
    ServerContent((("a", "A", rows),), (), logged) for rows, logged in (((), 2), ((), 3), (((1,),), 4))
)
MARKS = tuple(play.Answered(statement, at_ns, EMPTY if at_ns < 50 else BEFORE) for statement, at_ns in
              (("", 10), ("one", 20), ("two", 30), ("BEGIN", 50)))  # fmt: skip


def allowed(until_ns, at_once=None):
    found = play.Played(History("four", ()), "recording", MARKS, at_once)
    state = SimpleNamespace(until_ns=until_ns)
    return [(one.statement, one.content) for one in found.allowed(state)], found.answered(state)


@pytest.mark.parametrize(
    ("until_ns", "statements", "answered"),
    [(5, ["", "one"], 0), (20, ["", "one"], 0), (21, ["one", "two"], 1), (35, ["two", "BEGIN"], 2), (60, ["BEGIN"], 3)],
)
def test_only_the_last_answered_statement_and_the_one_under_way_may_be_there(until_ns, statements, answered):
    found, count = allowed(until_ns)
    assert ([statement for statement, _ in found], count) == (statements, answered)


def test_a_statement_that_was_answered_when_the_content_changed_may_be_missing():
    """One that was answered before may not. Both follow what the server held at last."""
    commit = AtOnce(0, "COMMIT", "a", "of A")
    at_once = play.PlayedAtOnce(((commit, 100),), AFTER)
    nothing = "none of the statements that were sent at once"
    assert allowed(100, at_once) == ([(nothing, BEFORE), ("COMMIT", AFTER)], 3)
    assert allowed(101, at_once) == ([("COMMIT", AFTER)], 4)


def holding(rows, logged, prepared=()):
    return ServerContent((("t", "CREATE", rows),), prepared, logged)


GROWN = tuple(
    play.Answered(statement, at, holding(rows, logged))
    for statement, at, rows, logged in (
        ("", 0, (), 3),
        ("INSERT 1", 10_000_000, ("1",), 4),
        ("INSERT 2", 20_000_000, ("1", "2"), 5),
        ("DELETE 2", 30_000_000, ("1",), 6),
        ("INSERT 3", 40_000_000, ("1", "3"), 7),
    )
)


@pytest.mark.parametrize(
    ("held", "lost"),
    [
        (holding((), 3), (3, 25.0, 3, 25.0)),
        (holding(("1", "2"), 6), (1, 5.0, 0, 0.0)),
        (holding(("1", "2"), 7), (1, 5.0, 0, 0.0)),
        (holding(("1",), 4), (2, 15.0, 2, 15.0)),
        (holding(("1",), 3), (0, 0.0, 3, 25.0)),
        (holding(("1",), 6), (0, 0.0, 0, 0.0)),
        (holding(("1", "3"), 7), (0, 0.0, 0, 0.0)),
        (holding((), 1), (3, 25.0, 3, 25.0)),
        (holding(("2",), 3), None),
        (holding((), 8), None),
        (holding((), 3, ("x",)), None),
    ],
    ids=[
        "all", "one of the engine", "and the binary log has the statement under way", "two of both",
        "if the content of the engine is from two times, from the later one", "nothing",
        "nothing, and the statement under way is there", "preparations do not count", "rows that never were there",
        "a binary log with more than was written", "a prepared transaction that never was",
    ],
)  # fmt: skip
def test_what_was_answered_and_is_missing_is_counted_if_the_rest_is_from_an_earlier_time(held, lost):
    """Three statements were answered; the fourth was under way. The engine has what it had after 1 also after 3."""
    assert told(
        play.Played(History("four", ()), "recording", GROWN).lost(SimpleNamespace(until_ns=35_000_000), held)
    ) == (lost)


def told(found):
    return found and tuple(value for one in found for value in (one.transactions, one.ms))


@pytest.mark.parametrize(
    ("a", "b", "logged", "lost"),
    [
        (("1",), ("2",), 5, (0, 0.0, 0, 0.0)),
        (("1",), (), 4, (1, 10.0, 1, 10.0)),
        ((), (), 3, (2, 20.0, 2, 20.0)),
        ((), (), 5, (2, 20.0, 0, 0.0)),
        (("9",), (), 4, None),
    ],
)
def test_of_statements_at_once_each_can_be_lost_after_its_answer(a, b, logged, lost):
    one, other = AtOnce(0, "INSERT a", "a", "of A"), AtOnce(1, "INSERT b", "b", "of B")
    before = ServerContent((("a", "A", ()), ("b", "B", ())), (), 3)
    after = ServerContent((("a", "A", ("1",)), ("b", "B", ("2",))), (), 5)
    at_once = play.PlayedAtOnce(((one, 10_000_000), (other, 20_000_000)), after)
    marks = (play.Answered("", 0, before),)
    found = play.Played(History("two", ()), "recording", marks, at_once)
    held = ServerContent((("a", "A", a), ("b", "B", b)), (), logged)
    assert told(found.lost(SimpleNamespace(until_ns=30_000_000), held)) == lost
