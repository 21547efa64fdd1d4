"""Plays a small history on a server with a recorded disk, and notes what must be there after each statement."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import combinations
from threading import Barrier
from time import monotonic_ns

from workers.crash.chain import ServerReady
from workers.crash.points.histories import SCHEMA, TABLES, AtOnce, History
from workers.crash.points.server_content import ServerContent, content
from workers.crash.setup_and_result import LostWork
from workers.sandbox import owner
from workers.sandbox.disk.recording.recording import Recording
from workers.sandbox.disk.recording.states import DiskState
from workers.servers import ask
from workers.servers.connection import connect
from workers.servers.limited import Connection

FLUSH_US = 500  # so that moments within a flush exist


@dataclass(frozen=True)
class Answered:
    """`answered_ns`: when the statement was answered; `content`: what the server held then; `wrote`: texts that the
    binary log must hold."""

    statement: str
    answered_ns: int
    content: ServerContent
    wrote: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.statement or "the beginning"


@dataclass(frozen=True)
class PlayedAtOnce:
    """Statements that were sent at once, and what the server held after all of them."""

    statements: tuple[tuple[AtOnce, int], ...]  # with the time of each answer
    content: ServerContent

    def allowed(self, before: ServerContent, until_ns: int) -> Iterator[Answered]:
        """What the server may hold: each statement that was answered, and any of the others."""
        for n in range(len(self.statements) + 1):
            for chosen in combinations(self.statements, n):
                if all(told_ns >= until_ns or (one, told_ns) in chosen for one, told_ns in self.statements):
                    yield self._with([one for one, _ in chosen], before, until_ns)

    def _with(self, there: Sequence[AtOnce], before: ServerContent, until_ns: int) -> Answered:
        changed = {one.table for one in there}
        pairs = zip(before.tables, self.content.tables, strict=True)
        tables = tuple(after if after[0] in changed else old for old, after in pairs)
        held = ServerContent(tables, before.prepared, before.logged + len(there))
        names = " and ".join(one.statement for one in there) or "none of the statements that were sent at once"
        return Answered(names, until_ns, held, tuple(one.wrote for one in there))


@dataclass(frozen=True)
class Played:
    """`marks`: the first is from before the first statement."""

    history: History
    recording: Recording
    marks: tuple[Answered, ...]
    at_once: PlayedAtOnce | None = None

    def allowed(self, state: DiskState) -> tuple[Answered, ...]:
        """The last statement that was answered while this state was possible, and those under way."""
        answered = self._in_turn(state)
        if self.at_once and answered == len(self.marks) - 1:
            return tuple(self.at_once.allowed(self.marks[-1].content, state.until_ns))
        return self.marks[answered : answered + 2]

    def answered(self, state: DiskState) -> int:
        """How many statements were answered while this state was possible."""
        at_once = self.at_once.statements if self.at_once else ()
        return self._in_turn(state) + sum(told_ns < state.until_ns for _, told_ns in at_once)

    def lost(self, state: DiskState, held: ServerContent) -> tuple[LostWork, LostWork] | None:
        """The answered transactions that engine and binary log lost, if each holds what it held after some statement.
        None: one of them holds something else."""
        allowed = self.allowed(state)
        known = (*self._before(state), *allowed)
        in_engine = [mark.content.logged for mark in known if mark.content.in_engine == held.in_engine]
        if not in_engine or held.logged > max(mark.content.logged for mark in allowed):
            return None
        answered, first = allowed[0].content.logged, self.marks[0].content.logged
        alike = held.logged if held.logged in in_engine else in_engine[-1]  # the same content can come twice
        engine, binlog = (self._lost(max(there, first), answered, state) for there in (alike, held.logged))
        return engine, binlog

    def _before(self, state: DiskState) -> Iterator[Answered]:
        """What the server may have held before."""
        yield from self.marks[: self._in_turn(state) + 1]
        if self.at_once:
            yield from self.at_once.allowed(self.marks[-1].content, 0)

    def _lost(self, there: int, answered: int, state: DiskState) -> LostWork:
        """`there`: transactions that are left, of those that were `answered`."""
        missing = max(0, answered - there)
        since = next((told_ns for logged, told_ns in self._told() if logged > there), state.until_ns)
        return LostWork(missing, (state.until_ns - since) / 1e6 if missing else 0.0)

    def _told(self) -> Iterator[tuple[int, int]]:
        """How many transactions were answered when."""
        yield from ((mark.content.logged, mark.answered_ns) for mark in self.marks)
        at_once = sorted(told_ns for _, told_ns in self.at_once.statements) if self.at_once else ()
        yield from enumerate(at_once, self.marks[-1].content.logged + 1)

    def _in_turn(self, state: DiskState) -> int:
        return max(0, sum(mark.answered_ns < state.until_ns for mark in self.marks) - 1)


def play(ready: ServerReady, history: History) -> Played:
    """The server is killed afterwards. ServerError: it refused a statement."""
    server, disk = ready.scene.sandbox, ready.scene.disk
    folder = ready.made.enter_context(owner.live_folder(ready.setup.root, "recording"))
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
        told = _at_once(clients, history.at_once)
        at_once = PlayedAtOnce(told, content(watching, server)) if told else None
        server.freeze()
        disk.stop_recording()
    disk.storage(0)
    disk.give_way()
    server.kill()
    return Played(history, Recording.load(folder / "recording"), tuple(marks), at_once)


def _at_once(clients: Sequence[Connection], statements: Sequence[AtOnce]) -> tuple[tuple[AtOnce, int], ...]:
    """Each is sent before any of them is answered, as far as a computer can."""
    ready = Barrier(max(1, len(statements)))

    def send(one: AtOnce) -> tuple[AtOnce, int]:
        ready.wait()
        ask.rows(clients[one.client], one.statement)
        return one, monotonic_ns()

    with ThreadPoolExecutor(max(1, len(statements)), "client") as pool:
        return tuple(pool.map(send, statements))
