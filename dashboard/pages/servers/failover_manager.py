"""The form that names the failover manager of a sandbox."""

from collections.abc import Mapping

from django.utils.safestring import mark_safe

from dashboard.pages.servers.argv_field import ArgvField
from dashboard.pages.servers.typed_name import TypedNameForm
from dashboard.records.servers.models import Server


class FailoverManagerForm(TypedNameForm):
    command = ArgvField(
        label="Command",
        help_text=mark_safe(
            "One argument per line, the program first, by its whole path. It finds the nodes in "
            "<code>DURASCOPE_NODES</code> and must set <code>read_only=OFF</code> on the replica that it promotes. "
            "Write no passwords here: the command is shown on this server's page and in the audit log."
        ),
    )
    field_order = ("command",)

    def __init__(self, server: Server, data: Mapping[str, object] | None = None) -> None:
        super().__init__(server, data, {"command": server.failover_command})
