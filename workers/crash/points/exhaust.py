"""Recovers every state of a small history: what is durable after each flush, and what was written up to each write."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from workers.crash.chain import Begun
from workers.crash.points.attempts import attempt_all
from workers.crash.points.histories import History
from workers.crash.points.lane import Lane, lanes
from workers.crash.points.play import Answered, ServerContent, content, play
from workers.crash.prepare import start
from workers.errors import ServerEnded, ServerError
from workers.sandbox.disk.recording.states import CrashPoint, DiskState, States
from workers.servers.connection import connect


@dataclass(frozen=True)
class WrongState:
    """A state whose recovery held neither of the allowed contents. `under_way`: the statement of that moment."""

    state: DiskState
    under_way: str
    says: str


@dataclass(frozen=True)
class Exhausted:
    history: History
    states: int
    wrong: tuple[WrongState, ...]


def exhaust(begun: Begun, history: History) -> Exhausted:
    """Every state of that history, on the server that `begun` describes. Raises SandboxError and ServerError."""
    begun = replace(begun, settings={**begun.settings, **history.settings})
    ready = start(begun)
    played = play(ready, history)
    states = States(played.recording)
    every = each_state(states)

    def attempt(lane: Lane, state: DiskState) -> WrongState | None:
        lane.become(states.blocks(state.point))
        says = _complaint(lane, begun, played.allowed(state))
        return WrongState(state, played.allowed(state)[-1].statement, says) if says else None

    begun.timeline.step("crash points")
    found = attempt_all(begun.timeline, lanes(ready, states), every, attempt)
    return Exhausted(history, len(every), tuple(one for one in found if one))


def each_state(states: States) -> list[DiskState]:
    """Each content once, in time."""
    known: dict[int, DiskState] = {}
    for point in _points(states):
        state = states.at(point)
        known.setdefault(state.digest, state)
    return sorted(known.values(), key=lambda state: state.since_ns)


def _points(states: States) -> Iterator[CrashPoint]:
    yield CrashPoint(0)
    yield from (CrashPoint(end + 1) for _, end in states.flushes)
    yield from (CrashPoint(number + 1, "written") for number in states.versions.writes)


def _complaint(lane: Lane, begun: Begun, allowed: Sequence[Answered]) -> str:
    """Why this state recovers wrong; "" when it recovers right."""
    try:
        lane.recover(begun.settings)
    except ServerEnded as ended:
        return f"The server does not come back: {ended.message}"
    try:
        with connect(lane.server.target) as connection:
            found = content(connection, lane.server)
    except ServerError as damaged:
        return f"A table cannot be read: {damaged.message}"
    if any(found == mark.content for mark in allowed):
        return ""
    return "; ".join(dict.fromkeys(_difference(found, mark) for mark in allowed))


def _difference(found: ServerContent, mark: Answered) -> str:
    wanted, where = mark.content, f"after {mark.statement or 'the beginning'}"
    parts = []
    if found.tables != wanted.tables:
        parts.append(f"tables {_short(found)} instead of {_short(wanted)}")
    if found.prepared != wanted.prepared:
        parts.append(f"prepared {found.prepared} instead of {wanted.prepared}")
    if found.logged != wanted.logged:
        parts.append(f"{found.logged} transactions in the binlog instead of {wanted.logged}")
    return f"{where}: {', '.join(parts)}"


def _short(content: ServerContent) -> str:
    return ", ".join(f"{name}: {len(rows)} rows" for name, _, rows in content.tables)
