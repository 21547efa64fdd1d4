"""What the audit says of a server's service level: whether its present settings contradict it, and where it was
measured. A result judges the tested settings, which may be others than the present ones."""

from collections.abc import Mapping

from django.db.models import Q

from dashboard.findings.attached.statement import UNKNOWN
from dashboard.findings.audit.subject import AuditedServer
from dashboard.findings.audit.survival import LOST, Survivals
from dashboard.findings.service_level import in_words
from dashboard.records.experiments.models import Experiment
from dashboard.records.servers.levels import DISASTERS, Wanted
from dashboard.text.words import listed


def level_notes(subject: AuditedServer, levels: Mapping[int, Wanted], found: Survivals) -> tuple[str, ...]:
    """Sentences; none for a server without a level."""
    if subject.server is None or subject.server.pk not in levels:
        return ()
    wanted = levels[subject.server.pk]
    outcomes = {"kill": found.killed.outcome, "power": found.power_loss.outcome, "failover": found.failover.outcome}
    asked = [] if wanted.lost_s else [key for key in wanted.survives if key in outcomes]
    missed = [DISASTERS[key].says for key in asked if outcomes[key] == LOST]
    open_ = [DISASTERS[key].says for key in asked if outcomes[key] == UNKNOWN]
    says = [f"Service level: {in_words(wanted)}"]
    says += [f"The present settings miss it {listed(missed)}."] if missed else []
    says += [f"Whether the present settings meet it {listed(open_)} is not known."] if open_ else []
    return (" ".join(says), _measured(subject.server.pk))


def _measured(server_id: int) -> str:
    here = Q(cells__server=server_id) | Q(trials__server=server_id)
    judged = Experiment.objects.filter(here, ended_at__isnull=False).exclude(level="")
    newest = judged.order_by("-ended_at").values_list("pk", flat=True).first()
    if newest is None:
        return "No result has measured its service level yet."
    return f"The newest result that measured its service level, experiment {newest}, says which settings meet it."
