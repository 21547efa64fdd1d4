"""What the audit knows of a server: registered and read now, registered and tested by a worker, or pasted."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.utils import timezone

from dashboard.findings.attached.known import Told, told_by
from dashboard.findings.crash.durability import of_server
from dashboard.installation import vault
from dashboard.installation.stored import Unreadable
from dashboard.records.servers.models import Preflight, Server
from workers.servers import lookalikes, reading
from workers.servers.deciding import NOT_TOLD, lacking
from workers.servers.facts import Facts
from workers.servers.look import BINLOG_OPEN, REDO_LOG, REDO_LOG_SINCE
from workers.servers.pasted.read import PastedText
from workers.servers.reading import ServerReading
from workers.servers.services import SERVICES, recognised
from workers.servers.settings import switch

REDO_LOG_NOT_TOLD = (
    "The text does not tell whether the redo log is switched off: SHOW GLOBAL STATUS LIKE 'Innodb_redo_log_enabled'."
)
BINLOG_NOT_TOLD = (
    "It is not known whether the server still writes its binary log. The account needs REPLICATION CLIENT (MariaDB "
    "from 10.5.2 on: BINLOG MONITOR). Then test the connection again."
)
NOT_READ = "Not read yet. Read all servers."
TEST_AGAIN = "Its last test did not ask for all settings that decide what a crash loses. Test the server again."


@dataclass(frozen=True)
class AuditedServer:
    """`server`: None: pasted. `facts`: None: `why` says why it could not be read. `told`: how it replicates.
    `service`: the managed service that it is (a key of SERVICES), "" for a server of one's own."""

    name: str
    server: Server | None = None
    facts: Facts | None = None
    told: Told | None = None
    read_at: datetime | None = None
    why: str = ""
    notes: tuple[str, ...] = ()
    service: str = ""

    @property
    def not_read(self) -> bool:
        """No connection test of it has ended yet."""
        return self.why == NOT_READ

    @property
    def values(self) -> Mapping[str, str]:
        """Its settings; those of replication in the newer words."""
        told = {**(self.told.replication.values if self.told else {}), **(self.facts.variables if self.facts else {})}
        return {name: value for name, value in told.items() if value != NOT_TOLD}


def by_tests(tests: Iterable[tuple[Server, Preflight | None]]) -> list[AuditedServer]:
    """From the last connection test of each. A test that did not reach its server leaves the settings unknown."""
    return [_tested(server, test) for server, test in tests]


def _tested(server: Server, test: Preflight | None) -> AuditedServer:
    if test is None:
        return AuditedServer(server.name, server, why=NOT_READ)
    if not test.facts:
        why = next((f"{one.says} {one.fix}".strip() for one in test.checked), "It did not answer.")
        return AuditedServer(server.name, server, read_at=test.done_at, why=why)
    try:
        known = test.known
    except Unreadable as wrong:
        return AuditedServer(server.name, server, read_at=test.done_at, why=str(wrong))
    kept = of_server(known)
    lookalike = known.lookalike or lookalikes.recognised({"version": kept.version_text})
    facts = Facts(known.flavour or "mysql", kept.version, kept.version_text, kept.settings, known.engines, lookalike)
    not_asked = [] if lookalike else [*_lacks_redo_log(facts), *lacking(facts)]
    facts = replace(facts, variables={**facts.variables, **dict.fromkeys(not_asked, NOT_TOLD)})
    notes = (*_asked(facts), *((TEST_AGAIN,) if not_asked else ()))
    service = _service(server, known.service.key or recognised({}, server.host)[0])
    told = told_by(server, test)
    return AuditedServer(server.name, server, facts, told, test.done_at, notes=notes, service=service)


def _lacks_redo_log(facts: Facts) -> list[str]:
    """A status, which no text of variables has."""
    has_status = facts.flavour == "mysql" and facts.version >= REDO_LOG_SINCE and not facts.lookalike
    return [REDO_LOG] if has_status and facts.variable(REDO_LOG) is None else []


def read_all(servers: Sequence[Server], limit_s: float = reading.LIMIT_S) -> list[AuditedServer]:
    """Reads them. Servers whose password no key opens come last."""
    shut = {one: why for one in servers if (why := vault.problem_with(one.password_sealed))}
    opened = [one for one in servers if one not in shut]
    readings = reading.read_all([one.target() for one in opened], limit_s)
    unread = [AuditedServer(one.name, one, why=str(why)) for one, why in shut.items()]
    return [*read_now(opened, readings, timezone.now()), *unread]


def read_now(servers: Sequence[Server], readings: Sequence[ServerReading], at: datetime) -> list[AuditedServer]:
    found = []
    for server, read in zip(servers, readings, strict=True):
        facts, seen = read.facts, read.replication
        told = Told(server, facts.flavour, seen) if facts and seen else None
        service = _service(server, recognised(facts.variables, server.host)[0]) if facts else ""
        notes = _asked(facts) if facts else ()
        found.append(AuditedServer(server.name, server, facts, told, at, read.why, notes, service))
    return found


def _asked(facts: Facts) -> tuple[str, ...]:
    """What a running server was asked and did not answer."""
    has_log = switch(facts.variables.get("log_bin", "OFF")) == "ON" and not facts.lookalike
    return (BINLOG_NOT_TOLD,) if has_log and facts.variable(BINLOG_OPEN) is None else ()


def _service(server: Server, found: str) -> str:
    """The owner's word counts more."""
    named = server.service or found
    return named if named in SERVICES else ""


def pasted(name: str, text: PastedText) -> AuditedServer:
    if text.refused:
        why = f"The server does not start with this file: {text.refused}."
        return AuditedServer(name, why=why.replace("?.", "?"), notes=(f"Read as {text.form}.", *text.notes))
    facts = replace(text.facts, lookalike=lookalikes.recognised(text.facts.variables))
    lacks = (REDO_LOG_NOT_TOLD,) if _lacks_redo_log(facts) else ()
    notes = (f"Read as {text.form}.", *text.notes, *lacks)
    return AuditedServer(name, facts=facts, notes=notes, service=text.service)
