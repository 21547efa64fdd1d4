"""The audit of many servers: one line each, the worst first. Derived from settings; nothing is loaded or changed."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from dashboard.findings.attached.clusters import UNKNOWN
from dashboard.findings.attached.known import Known
from dashboard.findings.attached.links import joined
from dashboard.findings.audit.level import AuditedLevel, audited_level
from dashboard.findings.audit.subject import NOT_READ, AuditedServer
from dashboard.findings.audit.survival import LOST, Survivals, survivals
from dashboard.findings.crash.badges import Badge, badges, tried_as
from dashboard.findings.crash.durability import Durability, of_facts
from dashboard.findings.crash.reference import ReferenceCrashes, reference
from dashboard.findings.flushing import in_short
from dashboard.records.servers import levels
from workers.crash.kinds import CRASH_KINDS
from workers.servers.compared import SettingDifference, differences
from workers.servers.flavours import FLAVOURS

NOTHING = "No setting is known to lose acknowledged commits."
Ranked = Sequence[tuple[AuditedServer, Survivals]]


@dataclass(frozen=True, kw_only=True)
class AuditLine(Survivals):
    """A server. `server_id`: None: pasted. `version`, `flushes`: "" if not known. `finding`: the worst, in words.
    `unclear`: why another outcome is unknown, "" if none is.
    `changes`: settings that end what may be lost, as name=value. `measured`: trials of this installation with this
    version and these settings; empty: not measured here. `reference`: of crash kinds that are not in `measured`, what
    Durascope's authors measured elsewhere. `level`: see `with_levels`."""

    name: str
    server_id: int | None
    version: str
    flushes: str
    finding: str
    unclear: str
    changes: tuple[str, ...]
    measured: tuple[Badge, ...]
    reference: tuple[ReferenceCrashes, ...]
    notes: tuple[str, ...]
    read_at: datetime | None
    answered: bool
    level: AuditedLevel | None = None

    @property
    def not_read(self) -> bool:
        return self.finding == NOT_READ

    @property
    def short_version(self) -> str:
        """MariaDB 10.11.19-MariaDB-log -> MariaDB 10.11.19."""
        return self.version.partition("-")[0]


@dataclass(frozen=True)
class LikeCrashes:
    """Of equal settings. See AuditLine."""

    measured: tuple[Badge, ...] = ()
    reference: tuple[ReferenceCrashes, ...] = ()


@dataclass(frozen=True)
class ComparedServers:
    """`other` replicates from `one`, or a person chose both."""

    one: str
    other: str
    differences: tuple[SettingDifference, ...]


@dataclass(frozen=True)
class Audit:
    """`worst`: the worst outcome of all lines: may be lost, unknown, kept."""

    finding: str
    worst: str
    lines: tuple[AuditLine, ...]
    replicas: tuple[ComparedServers, ...]

    @property
    def torn(self) -> str:
        """What a torn power loss is, where a line tells of one; else ""."""
        kind = CRASH_KINDS["torn-power-loss"]
        told = [one.kind for line in self.lines for one in line.measured]
        told += [one.kind for line in self.lines for one in line.reference]
        is_told = any(one.lower().endswith(kind.title.lower()) for one in told)
        return f"{kind.title}: {kind.says[0].lower()}{kind.says[1:]}" if is_told else ""


def audit(subjects: Sequence[AuditedServer]) -> Audit:
    order, links = ranked(subjects)
    by_id = {one.server.pk: one for one in subjects if one.server}
    return told(*summary(order), order, [(by_id[one], by_id[other]) for one, other in links])


def ranked(subjects: Sequence[AuditedServer]) -> tuple[Ranked, list[tuple[int, int]]]:
    """The worst first; and the ids of primaries and their replicas."""
    known = Known({one.server.pk: one.told for one in subjects if one.server and one.told})
    fleet = joined(known)
    order = sorted(((one, survivals(one, fleet)) for one in subjects), key=lambda pair: pair[1].severity)
    links = ((link.source, link.replica) for link in fleet.links)
    return order, [(one, other) for one, other in links if isinstance(one, int) and isinstance(other, int)]


def summary(order: Ranked) -> tuple[str, str]:
    """The finding in words, and the worst outcome."""
    outcomes = {found.worst for _, found in order}
    return _finding(order), next((one for one in (LOST, UNKNOWN) if one in outcomes), "kept")


def told(finding: str, worst: str, servers: Ranked, replicas: Iterable[tuple[AuditedServer, AuditedServer]]) -> Audit:
    """With the lines of these servers."""
    known: dict[object, LikeCrashes] = {}
    lines = tuple(_line(subject, found, known) for subject, found in servers)
    return Audit(finding, worst, lines, tuple(against(*pair) for pair in replicas))


def against(one: AuditedServer, other: AuditedServer) -> ComparedServers:
    """Empty differences are told apart from unknown settings by the caller: both must have facts."""
    same = bool(one.facts and other.facts and one.facts.flavour == other.facts.flavour)
    return ComparedServers(one.name, other.name, differences(one.values, other.values, same_flavour=same))


def with_levels(found: Audit, subjects: Sequence[AuditedServer]) -> Audit:
    """With the service levels of its servers. Each reads a result, so a page asks for its own lines only."""
    by_id = {one.server.pk: one for one in subjects if one.server}
    wanted = levels.of_servers([line.server_id for line in found.lines if line.server_id])
    lines = (
        replace(line, level=audited_level(by_id[line.server_id], wanted[line.server_id], line))
        if line.server_id in wanted and line.server_id
        else line
        for line in found.lines
    )
    return replace(found, lines=tuple(lines))


def _line(subject: AuditedServer, found: Survivals, known: dict[object, LikeCrashes]) -> AuditLine:
    facts = subject.facts
    title, worst = next((title, one) for title, one in found.crashes if one.outcome == found.worst)
    says = worst.says if worst is found.failover or not facts else f"{title}: {worst.says}"
    says = says if found.worst in (LOST, UNKNOWN) else NOTHING
    like = LikeCrashes()
    if facts:
        like = _crashes(of_facts(facts), known)
    if subject.service:  # what other servers keep says nothing of the vendor's storage
        like = LikeCrashes(tuple(one for one in like.measured if one.where == subject.name))
    return AuditLine(
        **vars(found),
        name=subject.name,
        server_id=subject.server.pk if subject.server else None,
        version=f"{FLAVOURS[facts.flavour].title} {facts.version_text}" if facts and facts.version_text else "",
        flushes=in_short(facts.variables) if facts else "",
        finding=says,
        unclear=_unclear(found) if found.worst == LOST else "",
        changes=tuple(dict.fromkeys(change for _, one in found.crashes for change in one.changes)),
        measured=like.measured,
        reference=like.reference,
        notes=subject.notes,
        read_at=subject.read_at,
        answered=facts is not None,
    )


def _unclear(found: Survivals) -> str:
    return " ".join(f"{title} is unknown: {one.says}" for title, one in found.crashes if one.outcome == UNKNOWN)


def _crashes(present: Durability, known: dict[object, LikeCrashes]) -> LikeCrashes:
    """`known`: those that were found before. Servers with the same settings have the same trials, and each search reads
    many rows."""
    key = (present.flavour, present.version, *sorted(present.deciding.items()))
    if key not in known:
        tried = tried_as(present)
        known[key] = LikeCrashes(tuple(badges(tried)), tuple(reference(present, tried)))
    return known[key]


def _finding(order: Ranked) -> str:
    if not order:
        none = (
            "Nothing to audit yet: no server of your own is registered, and a sandbox runs only during an experiment."
        )
        return f"{none} You can paste the settings of any server below: Durascope does not connect to it."
    lost = Counter(title for _, found in order for title, one in found.crashes if one.outcome == LOST)
    new = sum(subject.not_read for subject, _ in order)
    silent = sum(subject.facts is None for subject, _ in order) - new
    of = "1 server" if len(order) == 1 else f"{len(order):,} servers"
    parts = [f"on {lost[name]:,} {how}" for name, how in WHEN.items() if lost[name]]
    says = f"Of {of}, acknowledged commits may be lost {', '.join(parts)}." if parts else ""
    unread = f"{silent:,} of {of} could not be read." if silent else ""
    yet = f"{new:,} of {of} {'is' if new == 1 else 'are'} not read yet." if new else ""
    told = len(order) - silent - new
    partly = sum(found.worst == UNKNOWN and subject.facts is not None for subject, found in order)
    unclear = f"What {partly:,} of {of} would lose is unknown." if partly else ""
    kept = "" if parts or told == partly else f"No setting of {of} is known to lose acknowledged commits."
    return " ".join(filter(None, (says, kept, unclear, unread, yet)))


WHEN = {
    "Server killed": "when the server is killed", "Power loss": "when the power is lost", "Failover": "in a failover"
}  # fmt: skip
