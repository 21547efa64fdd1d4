"""Connections to attached servers that measure nothing: *Test connection*, and whether a server answers."""

from django.conf import settings

from dashboard.installation.vault import KeyMissing
from dashboard.records.fleet.models import Worker
from dashboard.records.servers import actions
from dashboard.records.servers.models import Preflight, Server
from workers.errors import DurascopeError
from workers.servers import connection_test
from workers.servers.connection import connect
from workers.servers.preflight import PreflightCheck


def run_preflight(preflight_id: int, worker: Worker) -> None:
    """Run a queued preflight and store its outcome, unless another worker has claimed it."""
    server = actions.begin_preflight(preflight_id, str(worker), worker.site)
    if server is None:
        return
    asked = Preflight.objects.get(pk=preflight_id)
    try:
        found = connection_test.run_apart(server.target())
    except KeyMissing as lost:
        actions.finish_preflight(asked, [PreflightCheck("password", "Password", "failed", str(lost), "")])
        return
    actions.finish_preflight(asked, found.checks, found.durability, found.facts, found.keys)


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
