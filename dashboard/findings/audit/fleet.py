"""The audit of all registered servers, told in parts. The outcomes of thousands take more than a second of processor
time, so a process keeps them until a server is changed or a connection test ends."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from time import monotonic

from django.db.models import Count, Max

from dashboard.findings.audit.audit import Audit, ranked, summary, told, with_levels
from dashboard.findings.audit.subject import AuditedServer, by_tests
from dashboard.findings.audit.survival import Survivals
from dashboard.records.servers import queries
from dashboard.records.servers.models import Preflight, Server

Outcomes = Sequence[tuple[int, Survivals]]


@dataclass(frozen=True, eq=False)
class FleetAudit:
    """`finding`, `worst`: of all servers. `outcomes`: of each server by its id, the worst first. `replicas`: the ids of
    each primary and its replica. `names`: name and label of each. Compared by identity: it is kept until it changes."""

    finding: str
    worst: str
    outcomes: Outcomes
    replicas: Sequence[tuple[int, int]]
    names: Mapping[int, tuple[str, str]]

    def part(self, outcomes: Outcomes) -> tuple[Audit, list[AuditedServer]]:
        """The lines of these servers with their service levels, and the servers."""
        here = {pk for pk, _ in outcomes}
        pairs = [pair for pair in self.replicas if pair[0] in here]
        wanted = here.union(*pairs)
        known = {one.server.pk: one for one in by_tests(queries.last_tests(wanted)) if one.server}
        servers = [(known[pk], found) for pk, found in outcomes if pk in known]  # not deleted meanwhile
        compared = [(known[one], known[other]) for one, other in pairs if {one, other} <= known.keys()]
        subjects = [one for one, _ in servers]
        return with_levels(told(self.finding, self.worst, servers, compared), subjects), subjects


def fleet_audit() -> FleetAudit:
    servers = Server.objects.filter(kind=Server.Kind.ATTACHED).values_list("pk", *READ)
    tests = Preflight.objects.filter(state=Preflight.State.DONE).aggregate(Max("pk"), Max("done_at"), Count("pk"))
    return _audited(hash(tuple(servers)), *tests.values())


def lately_audited() -> FleetAudit:
    """Of many servers up to a minute old, because to audit them anew takes seconds; of few servers as they are."""
    known = _LATEST[-1:] if _LATEST and monotonic() - _LATEST[-1][0] < OLD_S else []
    if known and len(known[0][1].outcomes) == Server.objects.filter(kind=Server.Kind.ATTACHED).count():
        return known[0][1]
    found = fleet_audit()
    _LATEST[:] = [(monotonic(), found)] if len(found.outcomes) > MANY else []
    return found


MANY = 400
OLD_S = 60.0
_LATEST: list[tuple[float, FleetAudit]] = []  # at most one, with its time
# Of a server, by the rules of the audit and of attached topologies, and by the first page.
READ = ("name", "host", "service", "label")


@lru_cache(maxsize=1)
def _audited(*_: object) -> FleetAudit:
    """Its arguments change whenever the answer does."""
    order, replicas = ranked(by_tests(queries.last_tests()))
    known = [(one.server, found) for one, found in order if one.server]
    outcomes = [(server.pk, found) for server, found in known]
    return FleetAudit(*summary(order), outcomes, replicas, {one.pk: (one.name, one.label) for one, _ in known})
