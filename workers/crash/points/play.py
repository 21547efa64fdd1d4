"""Plays a small history on a server with a recorded disk, and notes what must be there after each statement."""

import secrets
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from time import monotonic_ns

from workers.crash import binlog
from workers.crash.chain import ServerReady
from workers.crash.points.histories import SCHEMA, TABLES, History
from workers.errors import SandboxError
from workers.sandbox import options, owner
from workers.sandbox.disk.recording.recording import Recording
from workers.sandbox.disk.recording.states import DiskState
from workers.sandbox.server import Sandbox
from workers.servers import ask
from workers.servers.connection import connect
from workers.servers.limited import Connection

FLUSH_US = 500  # so that moments within a flush exist
OF_SCHEMA = "SELECT table_name FROM information_schema.tables WHERE table_schema = %s ORDER BY table_name"


@dataclass(frozen=True)
class ServerContent:
    """What a server holds: its tables with definition and rows, prepared transactions, transactions in the binlog."""

    tables: tuple[tuple[str, str, tuple[ask.Row, ...]], ...]
    prepared: tuple[str, ...]
    logged: int


@dataclass(frozen=True)
class Answered:
    """`answered_ns`: when the statement was answered; `content`: what the server held then."""

    statement: str
    answered_ns: int
    content: ServerContent


@dataclass(frozen=True)
class Played:
    """`marks`: the first is from before the first statement."""

    history: History
    recording: Recording
    marks: tuple[Answered, ...]

    def allowed(self, state: DiskState) -> tuple[Answered, ...]:
        """The last statement that was answered while this state was possible, and the one under way."""
        answered = self.answered(state)
        return self.marks[answered : answered + 2]

    def answered(self, state: DiskState) -> int:
        """How many statements were answered while this state was possible."""
        return max(0, sum(mark.answered_ns < state.until_ns for mark in self.marks) - 1)


def play(ready: ServerReady, history: History) -> Played:
    """The server is killed afterwards. ServerError: it refused a statement."""
    server, disk = ready.scene.sandbox, ready.scene.disk
    folder = owner.new_folder(ready.setup.root.absolute() / "live", f"recording-{secrets.token_hex(4)}")
    ready.made.callback(owner.remove, folder)
    with ExitStack() as opened:
        watching, *clients = [opened.enter_context(connect(server.target)) for _ in range(1 + history.clients)]
        for statement in (f"CREATE SCHEMA {SCHEMA}", *TABLES):
            ask.rows(watching, statement)
        for client in clients:
            client.select_db(SCHEMA)
        server.settle()
        disk.storage(FLUSH_US)
        disk.record(folder / "recording")
        marks = [Answered("", monotonic_ns(), content(watching, server))]
        for number, statement in history.steps:
            ask.rows(clients[number], statement)
            marks.append(Answered(statement, monotonic_ns(), content(watching, server)))
        server.freeze()
        disk.stop_recording()
    disk.storage(0)
    disk.give_way()
    server.kill()
    return Played(history, Recording.load(folder / "recording"), tuple(marks))


def content(connection: Connection, server: Sandbox) -> ServerContent:
    """Raises ServerError, and BinlogUnknown."""
    names = [ask.as_text(name) for (name,) in ask.rows(connection, OF_SCHEMA, [SCHEMA])]
    tables = tuple((name, _definition(connection, name), _rows(connection, name)) for name in names)
    prepared = tuple(sorted(ask.as_text(row[3]) for row in ask.rows(connection, "XA RECOVER")))
    return ServerContent(tables, prepared, _logged(server.datadir))


def _definition(connection: Connection, name: str) -> str:
    return ask.as_text(ask.rows(connection, f"SHOW CREATE TABLE {SCHEMA}.{name}")[0][1])


def _rows(connection: Connection, name: str) -> tuple[ask.Row, ...]:
    return tuple(ask.rows(connection, f"SELECT * FROM {SCHEMA}.`{name}` ORDER BY id"))  # noqa: S608 - our own names


def _logged(datadir: Path) -> int:
    index = datadir / f"{options.BINLOG_BASE}.index"
    if not index.exists():
        raise SandboxError("A small history needs a server with a binary log.", "Set log_bin=ON.")
    return binlog.transactions(binlog.files_of(datadir, options.BINLOG_BASE))
