"""Forms of the commands that the owner of a server names and a worker runs. The user types the server's name, because a
wrong click must not name a command."""

from collections.abc import Mapping

from django import forms
from django.core.exceptions import ValidationError
from django.utils.safestring import mark_safe

from dashboard.pages.servers.forms import clean_path
from dashboard.records.accounts.actor import Actor
from dashboard.records.servers import actions, managers
from dashboard.records.servers.models import Server

MOST_ARGUMENTS = 64
MOST_LETTERS = 8000


class ArgvField(forms.CharField):
    """A command as a list of arguments, one per line. No shell reads it: quotes, pipes and $ have no meaning."""

    def __init__(self, *, label: str, help_text: str) -> None:
        widget = forms.Textarea(attrs={"rows": 5, "spellcheck": "false"})
        super().__init__(max_length=MOST_LETTERS, widget=widget, label=label, help_text=help_text)

    def prepare_value(self, value: object) -> object:
        return "\n".join(value) if isinstance(value, list) else value

    def clean(self, value: object) -> list[str]:
        found = [line.strip() for line in super().clean(value).splitlines() if line.strip()]
        if len(found[0].split()) > 1:
            raise ValidationError(
                "The first line must hold only the program. Write one argument per line; no shell reads them."
            )
        if len(found) > MOST_ARGUMENTS:
            raise ValidationError(f"A command has at most {MOST_ARGUMENTS} arguments.")
        return found


class CommandForm(forms.Form):
    columns: Mapping[str, str]  # field -> the column of the server that it fills

    typed_name = forms.CharField(
        label="Name of the server", max_length=80, help_text="To confirm, type the name of this server.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )  # fmt: skip

    def __init__(self, server: Server, data: Mapping[str, object] | None = None) -> None:
        super().__init__(data, initial={name: getattr(server, column) for name, column in self.columns.items()})
        self.server = server

    def clean_typed_name(self) -> str:
        typed: str = self.cleaned_data["typed_name"]
        if typed != self.server.name:
            raise ValidationError("This is not the name of this server. Nothing was changed.")
        return typed

    def save(self, user: Actor) -> None:
        """Store the commands of a valid form. Raises NotAllowed for a program that this person may not use, and
        Refused for a server that has no such commands."""
        raise NotImplementedError


class ExpendableForm(CommandForm):
    crash = ArgvField(
        label="Crash command",
        help_text=mark_safe(
            "One argument per line, the program first. The command must return when the server is down. Examples:  "
            "<code>ssh</code>, <code>db-test</code>, <code>systemctl</code>, <code>kill</code>, <code>-s</code>, "
            "<code>KILL</code>, <code>mariadb</code>, a reset of a virtual machine, or a power switch."
        ),
    )
    start = ArgvField(
        label="Start command",
        help_text="Starts the server after the crash and returns. Write no passwords here:  "
        "the commands are shown on this server's page and in the audit log.",
    )
    binlog_index = forms.CharField(
        label="Index of the binary log",
        required=False,
        max_length=500,
        widget=forms.TextInput(attrs={"spellcheck": "false"}),
        help_text=mark_safe(
            "If the server's binary log lies on the worker's machine: the path of its index there, as "
            "<code>/var/lib/mysql/binlog.index</code>. Otherwise trials read the log as a replica does: this needs the "
            "right REPLICATION SLAVE, and two checks are left out."
        ),
    )
    columns = {"crash": "crash_command", "start": "start_command", "binlog_index": "binlog_index"}
    field_order = tuple(columns)

    def clean_binlog_index(self) -> str:
        path = clean_path(self.cleaned_data["binlog_index"], "index")
        if path and not path.endswith(".index"):
            raise ValidationError("The index of a binary log ends in .index. Nothing was marked.")
        return path

    def save(self, user: Actor) -> None:
        said = self.cleaned_data
        actions.mark_expendable(user, self.server, said["crash"], said["start"], said["binlog_index"])


class FailoverManagerForm(CommandForm):
    command = ArgvField(
        label="Command",
        help_text=mark_safe(
            "One argument per line, the program first, by its whole path. The command finds the nodes in "
            "<code>DURASCOPE_NODES</code> and must set <code>read_only=OFF</code> on the replica that it promotes. "
            "Write no passwords here: the command is shown on this server's page and in the audit log."
        ),
    )
    columns = {"command": "failover_command"}
    field_order = tuple(columns)

    def save(self, user: Actor) -> None:
        managers.name(user, self.server, self.cleaned_data["command"])
