"""Whether this worker can connect to a server."""

from django.conf import settings

from dashboard.servers.models import Server
from workers.errors import DurascopeError
from workers.servers.connection import connect


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
