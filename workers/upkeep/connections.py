"""Connections to attached servers that measure nothing: *Test connection*, and whether a server answers."""

from dataclasses import asdict

from django.conf import settings

from dashboard.installation.vault import KeyMissing
from dashboard.records.fleet.models import Worker
from dashboard.records.servers import actions
from dashboard.records.servers.models import Preflight, Server
from workers.errors import DurascopeError
from workers.servers import durability, preflight
from workers.servers.answered import AnsweredFacts, FoundService
from workers.servers.connection import connect
from workers.servers.facts import Facts
from workers.servers.preflight import PreflightCheck, PreflightResult
from workers.servers.present import settings_in_words
from workers.servers.services import recognised
from workers.servers.settings import SETTINGS


def run_preflight(preflight_id: int, worker: Worker) -> None:
    """Run a queued preflight and store its outcome, unless another worker has claimed it."""
    server = actions.begin_preflight(preflight_id, str(worker), worker.site)
    if server is None:
        return
    asked = Preflight.objects.get(pk=preflight_id)
    try:
        result = preflight.run(server.target())
    except KeyMissing as lost:
        actions.finish_preflight(asked, [PreflightCheck("password", "Password", "failed", str(lost), "")])
        return
    if facts := result.facts:
        kept = _kept(facts, result, server.host)
        actions.finish_preflight(asked, result.checks, durability.report(facts), kept)
    else:
        actions.finish_preflight(asked, result.checks)


def _kept(facts: Facts, result: PreflightResult, host: str) -> AnsweredFacts:
    present = {name: value for name in SETTINGS if (value := facts.variable(name)) is not None}
    return AnsweredFacts(
        flavour=facts.flavour,
        version_text=facts.version_text,
        engines=dict(facts.engines),
        settings=present,
        words=tuple(settings_in_words(facts)),
        replication=asdict(result.replication) if result.replication else None,
        service=FoundService(*recognised(facts.variables, host)),
        max_connections=facts.variable("max_connections"),
        free_bytes=result.free_bytes,
        lookalike=facts.lookalike,
    )


def unreachable(server: Server) -> str:
    """Why the server cannot be measured now; "" when it answers. A sandbox is made when it is measured. A server of
    another site is asked by the workers of that site."""
    if server.is_sandbox or server.site != settings.SITE:
        return ""
    try:
        connect(server.target()).close()
    except DurascopeError as failure:
        return failure.message
    return ""
