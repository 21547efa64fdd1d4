"""What the guardrails of attached servers saw, as rows."""

from dataclasses import asdict

from django.db import transaction

from dashboard.installation.retry import retried
from dashboard.records.audit.models import record
from dashboard.records.experiments.models import Experiment
from dashboard.records.holds.models import ServerWatch
from dashboard.records.servers.models import Server
from workers.guardrails.limit import WatchRecord
from workers.servers.printable import storable


@retried
@transaction.atomic
def store(experiment: Experiment, server: Server, seen: WatchRecord) -> None:
    """A record is evidence of what was read, whoever runs the experiment by now."""
    ServerWatch.objects.create(experiment=experiment, server=server, data=storable(asdict(seen)))
    if seen.trip:
        record(None, "stopped by a guardrail", experiment, server=server.name, why=storable(seen.trip.says))
