"""The form that marks a server expendable: its name, and the commands that crash and start it."""

from collections.abc import Mapping

from django import forms
from django.core.exceptions import ValidationError
from django.utils.safestring import mark_safe

from dashboard.pages.servers.forms import clean_path
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


class ExpendableForm(forms.Form):
    """The user types the name of the server, so that a wrong click marks nothing."""

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
        label="Binlog index",
        required=False,
        max_length=500,
        widget=forms.TextInput(attrs={"spellcheck": "false"}),
        help_text=mark_safe(
            "If the server's binary log lies on the worker's machine: the path of its index there, as "
            "<code>/var/lib/mysql/binlog.index</code>. Trials then compare the binary log too."
        ),
    )
    typed_name = forms.CharField(
        label="Name of the server", max_length=80, help_text="Type the name as in the heading.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )  # fmt: skip

    def __init__(self, server: Server, data: Mapping[str, object] | None = None) -> None:
        stored = {name: getattr(server, f"{name}_command") for name in ("crash", "start")}
        super().__init__(data, initial={**stored, "binlog_index": server.binlog_index})
        self.server = server

    def clean_binlog_index(self) -> str:
        path = clean_path(self.cleaned_data["binlog_index"], "index")
        if path and not path.endswith(".index"):
            raise ValidationError("The index of a binary log ends in .index. Nothing was marked.")
        return path

    def clean_typed_name(self) -> str:
        typed: str = self.cleaned_data["typed_name"]
        if typed != self.server.name:
            raise ValidationError("This is not the name of this server. Nothing was marked.")
        return typed
