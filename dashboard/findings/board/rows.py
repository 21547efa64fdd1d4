"""The servers of one page of the board, with what stands beside their marks."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from dashboard.findings.audit.subject import AuditedServer, by_tests
from dashboard.findings.board import takes
from dashboard.findings.board.nights import FewNights, few_nights
from dashboard.findings.board.takes import Takes
from dashboard.findings.board.values import Board, BoardServer
from dashboard.findings.costs import Cost, costs
from dashboard.findings.flushing import in_short
from dashboard.records.experiments.models import Experiment
from dashboard.records.servers import queries
from workers.servers.flavours import FLAVOURS

MOST_CHANGES = 2


@dataclass(frozen=True)
class BoardRow:
    """`flushes`, as 2/0, and `version`: "" if not known. `replica_of`: its primary. `has_replica`: is one. `looked_at`:
    when its settings were read or its newest trials began; None: never."""

    server: BoardServer
    flushes: str
    version: str
    replica_of: str
    has_replica: bool
    looked_at: datetime | None
    is_unread: bool
    takes: Takes
    cost: Cost | None
    nights: FewNights | None

    @property
    def changes(self) -> tuple[str, ...]:
        """What ends the losses of all crashes, those of the worst crash first."""
        lost = [one for one in (self.server.worst, *self.server.verdicts) if one.outcome == "lost"]
        return tuple(dict.fromkeys(change for one in lost for change in one.changes))[:MOST_CHANGES]


def rows(board: Board, servers: Sequence[BoardServer], now: datetime) -> list[BoardRow]:
    """As many queries for one server as for many."""
    ids = [one.server_id for one in servers]
    subjects = {one.server.pk: one for one in by_tests(queries.last_tests(ids)) if one.server}
    tried = takes.by_tests(servers)
    measured, nights = costs(ids), few_nights(ids, now)
    began = _began(servers)
    found = []
    for one in servers:
        pk, subject = one.server_id, subjects.get(one.server_id)
        looks = [at for at in (subject.read_at if subject else None, began.get(pk)) if at]
        found.append(
            BoardRow(
                server=one,
                flushes=in_short(subject.facts.variables) if subject and subject.facts else "",
                version=_version(subject),
                replica_of=board.replica_of.get(pk, ""),
                has_replica=pk in board.primaries,
                looked_at=max(looks, default=None),
                is_unread=bool(subject and subject.not_read),
                takes=tried.get(pk) or takes.by_settings(one.power, subject.values if subject else {}),
                cost=measured.get(pk),
                nights=nights.get(pk),
            )
        )
    return found


def _began(servers: Sequence[BoardServer]) -> dict[int, datetime | None]:
    ids = {one.server_id: next((v.experiment_id for v in one.verdicts if v.is_tested), 0) for one in servers}
    began = dict(Experiment.objects.filter(pk__in=set(ids.values())).values_list("pk", "started_at"))
    return {pk: began.get(last) for pk, last in ids.items()}


def _version(subject: AuditedServer | None) -> str:
    """MariaDB 10.11.19."""
    facts = subject.facts if subject else None
    if not facts or not facts.version_text:
        return ""
    return f"{FLAVOURS[facts.flavour].title} {facts.version_text}".partition("-")[0]
