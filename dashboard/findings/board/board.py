"""The board of all servers. What settings say is kept until a server or a connection test changes; trials are laid over
it."""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from dashboard.findings.audit.fleet import FleetAudit, lately_audited
from dashboard.findings.audit.survival import LOST, Survival, Survivals
from dashboard.findings.board.tested import Tested, tested
from dashboard.findings.board.values import CRASHES, Board, BoardServer, Crash, CrashVerdict, Outcome
from dashboard.records.servers.models import Server

OUTCOMES: Mapping[str, Outcome] = {LOST: "lost", "unknown": "unknown", "kept": "kept", "": "none"}
NOT_TRIED = CrashVerdict("unknown")


def board(newest: Mapping[int, int]) -> Board:
    """`newest`: server id -> the newest experiment that crashed it."""
    rows = Server.objects.filter(kind=Server.Kind.SANDBOX).values_list("pk", "name", "label")
    sandboxes = tuple(BoardServer(*row, True, (NOT_TRIED, NOT_TRIED, NOT_TRIED)) for row in rows)
    own, found = _concluded(lately_audited()), tested(newest, {one.server_id for one in sandboxes})
    return _laid_over(own, sandboxes, tuple((pk, tuple(each.items())) for pk, each in found.items()))


@lru_cache(maxsize=1)
def _laid_over(
    own: Board,
    sandboxes: tuple[BoardServer, ...],
    found: tuple[tuple[int, tuple[tuple[Crash, CrashVerdict], ...]], ...],
) -> Board:
    """Kept with its counts, because those of thousands take longer than a page may."""
    if not (sandboxes or found):
        return own
    tried = {pk: dict(each) for pk, each in found}
    every = (_with(one, tried) for one in (*own.servers, *sandboxes))
    return replace(own, servers=sorted(every, key=lambda one: one.order))


@lru_cache(maxsize=1)
def _concluded(fleet: FleetAudit) -> Board:
    """Servers of one's own, by their settings."""
    found = (BoardServer(pk, *fleet.names[pk], False, _by_settings(each)) for pk, each in fleet.outcomes)
    replica_of = {replica: fleet.names[primary][0] for primary, replica in fleet.replicas}
    primaries = frozenset(primary for primary, _ in fleet.replicas)
    return Board(sorted(found, key=lambda one: one.order), replica_of, primaries)


def _by_settings(found: Survivals) -> tuple[CrashVerdict, CrashVerdict, CrashVerdict]:
    return _verdict(found.killed), _verdict(found.power_loss), _verdict(found.failover)


def _verdict(one: Survival) -> CrashVerdict:
    return CrashVerdict(OUTCOMES[one.outcome], says=one.says, changes=one.changes)


def _with(server: BoardServer, found: Tested) -> BoardServer:
    if not (mine := found.get(server.server_id)):
        return server
    kill, power, failover = (
        _worse(concluded, mine.get(crash)) for crash, concluded in zip(CRASHES, server.verdicts, strict=True)
    )
    return replace(server, verdicts=(kill, power, failover))


def _worse(concluded: CrashVerdict, tried: CrashVerdict | None) -> CrashVerdict:
    """Trials without a loss do not refute settings that allow one; unclear trials leave what the settings say."""
    if tried is None or (tried.outcome == "unknown" and concluded.outcome != "none"):
        return concluded
    if concluded.outcome == "lost" and tried.outcome == "kept":
        return concluded
    return replace(tried, says=concluded.says, changes=concluded.changes)
