"""What a server survives: killed, power loss, failover. The rules are those of the durability report and of attached
topologies; this file only chooses the worst of their statements."""

from collections.abc import Sequence
from dataclasses import dataclass

from dashboard.findings.attached.clusters import UNKNOWN, TopologyStatement
from dashboard.findings.attached.links import Joined
from dashboard.findings.attached.profile import not_judged
from dashboard.findings.attached.topology import failovers_of
from dashboard.findings.audit.subject import AuditedServer
from workers.servers.durability import DurabilityStatement, report
from workers.servers.lookalikes import LOOKALIKES
from workers.servers.risks import CrashClass

LOST = "may be lost"
ORDER = (LOST, UNKNOWN, "kept", "")  # worst first; "": nothing to survive, or not asked
NO_REPLICA = "No replica and no cluster is known."
ONLY_TEXT = "A text does not tell which servers replicate."


@dataclass(frozen=True)
class Survival:
    """`outcome`: may be lost, unknown, kept; "": does not apply. `says`: one sentence."""

    outcome: str
    says: str
    changes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Survivals:
    killed: Survival
    power_loss: Survival
    failover: Survival

    @property
    def crashes(self) -> tuple[tuple[str, Survival], ...]:
        return ("Server killed", self.killed), ("Power loss", self.power_loss), ("Failover", self.failover)

    @property
    def worst(self) -> str:
        return min((one.outcome for _, one in self.crashes), key=ORDER.index)

    @property
    def severity(self) -> tuple[int, ...]:
        """The worst sorts first: lost by a kill, then by a power loss, then by a failover."""
        return (ORDER.index(self.worst), *(ORDER.index(one.outcome) for _, one in self.crashes))


def survivals(subject: AuditedServer, fleet: Joined) -> Survivals:
    if subject.facts is None:
        return Survivals(*(Survival(UNKNOWN, subject.why) for _ in range(3)))
    statements = report(subject.facts)
    killed = _of_crash("process kill", statements)
    if subject.service:
        vendors = Survival(UNKNOWN, not_judged(subject.service))
        own_engine = LOOKALIKES.get(subject.service)
        return Survivals(Survival(UNKNOWN, own_engine.says) if own_engine else killed, vendors, vendors)
    return Survivals(killed, _of_crash("power loss", statements), _of_failover(subject, fleet))


def _of_crash(crash: CrashClass, statements: Sequence[DurabilityStatement]) -> Survival:
    mine = [one for one in statements if one.crash_class == crash]
    first = min(mine, key=lambda one: ORDER.index(one.outcome))
    changes = dict.fromkeys(change for one in mine if one.outcome != "kept" for change in one.changes)
    logs = [one for one in mine if one.outcome == first.outcome and one.what in ("engine", "binlog")] or [first]
    if first.outcome != LOST or len(logs) == 1:
        return Survival(first.outcome, _first_sentence(first.says), tuple(changes))
    # Each log has a reason of its own, and a setting of its own to change.
    says = " ".join(f"{one.engine or 'Binary log'}: {_first_sentence(one.says)}" for one in logs)
    return Survival(first.outcome, says, tuple(changes))


def _of_failover(subject: AuditedServer, fleet: Joined) -> Survival:
    if subject.server is None:
        return Survival("", ONLY_TEXT)
    unread = subject.told.replication.unread if subject.told else ("How it replicates was not read.",)
    statements = failovers_of(subject.server.pk, fleet) if subject.told else []
    if unread:  # a known loss counts even when something else is unknown
        statements.append(TopologyStatement("not everything could be read", UNKNOWN, unread[0]))
    if not statements:
        return Survival("", NO_REPLICA)
    first = min(statements, key=lambda one: ORDER.index(one.outcome))
    changes = dict.fromkeys(change for one in statements for change in one.changes)
    return Survival(first.outcome, f"{_capital(first.crash)}: {_first_sentence(first.says)}", tuple(changes))


def _first_sentence(says: str) -> str:
    return f"{says.partition('. ')[0].removesuffix('.')}."


def _capital(text: str) -> str:
    """Names of servers keep their letters."""
    return text[:1].upper() + text[1:] if text.startswith(("host", "power", "all ", "not ")) else text
