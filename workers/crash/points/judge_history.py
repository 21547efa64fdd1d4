"""Judges one state of a small history after its recovery: the server must hold one of the allowed contents."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from workers.crash.binlog.events import BinlogUnknown
from workers.crash.points.play import Answered
from workers.crash.points.server_content import ServerContent, content, holds
from workers.crash.points.story import HISTORY, TriedState
from workers.crash.verdict import CheckResult, invalid, unknown, valid
from workers.errors import SandboxError, ServerEnded, ServerError
from workers.sandbox.disk.recording.states import DiskState
from workers.sandbox.server import Sandbox
from workers.servers.connection import connect
from workers.servers.limited import Connection
from workers.servers.target import Target

DURING, AFTER = "Crash during {}: ", "Crash after {}: "


@dataclass(frozen=True)
class ContentPorts:
    """The functions that ask the recovered server; tests replace them."""

    connect: Callable[[Target], Connection] = connect
    content: Callable[[Connection, Sandbox], ServerContent] = content
    holds: Callable[[Path, Sequence[str]], bool] = holds


PORTS = ContentPorts()


@dataclass(frozen=True)
class HistoryJudgement:
    """`says`: why the state recovers wrong; "" when it recovers right. `recovery_s` None: the server stayed down,
    or it was not measured. `held` None: the content could not be read. `is_unclear`: `says` is why it is not known."""

    says: str
    recovery_s: float | None = None
    held: ServerContent | None = None
    is_unclear: bool = False

    def check(self, allowed: Sequence[Answered]) -> CheckResult:
        when = (DURING if len(allowed) > 1 else AFTER).format(allowed[-1].name)
        said = f"{when}{self.says}"
        found = unknown(said) if self.is_unclear else invalid(1, said) if self.says else valid("")
        return replace(found, key=HISTORY)


@dataclass(frozen=True)
class JudgedState:
    """One state after its recovery. `held`: what the server held then; None: it could not be read."""

    tried: TriedState
    state: DiskState
    held: ServerContent | None


def judge_history(
    recover: Callable[[], tuple[Sandbox, float | None]], allowed: Sequence[Answered], ports: ContentPorts = PORTS
) -> HistoryJudgement:
    """`recover`: the server, and the seconds of its recovery, None: not measured. ServerEnded: it ends because of its
    disk."""
    try:
        server, took_s = recover()
    except ServerEnded as ended:
        return HistoryJudgement(f"The server does not come back: {ended.message}")
    except SandboxError as failed:  # it hangs, for instance
        return HistoryJudgement(failed.message, is_unclear=True)
    try:
        with ports.connect(server.target) as connection:
            held = ports.content(connection, server)
        alike = [mark for mark in allowed if mark.content == held]
        if any(ports.holds(server.datadir, mark.wrote) for mark in alike):
            return HistoryJudgement("", took_s, held)
    except (ServerError, BinlogUnknown) as damaged:
        said = damaged.message.replace(server.target.where, "the server")  # an archive goes to other people
        return HistoryJudgement(f"Its content cannot be read: {said}", took_s)
    if alike:
        says = f"The binary log holds another transaction than the engine, which has {alike[0].statement}."
    else:
        says = " or ".join(dict.fromkeys(_difference(held, mark, len(allowed) > 1) for mark in allowed))
    return HistoryJudgement(says, took_s, held)


def _difference(found: ServerContent, mark: Answered, one_of_several: bool) -> str:
    wanted, parts = mark.content, []
    if found.tables != wanted.tables:
        parts.append(f"in the tables {_short(found)} instead of {_short(wanted)}")
    if found.prepared != wanted.prepared:
        parts.append(f"prepared {found.prepared} instead of {wanted.prepared}")
    if found.logged != wanted.logged:
        several = "transaction" if found.logged == 1 else "transactions"
        parts.append(f"in the binary log {found.logged} {several} instead of {wanted.logged}")
    return "; ".join(parts) + (f" (as after {mark.name})" if one_of_several else "")


def _short(content: ServerContent) -> str:
    return ", ".join(f"{name}: {len(rows)} row{'' if len(rows) == 1 else 's'}" for name, _, rows in content.tables)
