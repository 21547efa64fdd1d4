"""The form that marks a server expendable: its name, and the commands that crash and start it."""

from collections.abc import Mapping

from django import forms
from django.core.exceptions import ValidationError
from django.utils.safestring import mark_safe

from dashboard.pages.servers.argv_field import ArgvField
from dashboard.pages.servers.forms import clean_path
from dashboard.pages.servers.typed_name import TypedNameForm
from dashboard.records.servers.models import Server


class ExpendableForm(TypedNameForm):
    field_order = ("crash", "start", "binlog_index")

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

    def __init__(self, server: Server, data: Mapping[str, object] | None = None) -> None:
        stored = {name: getattr(server, f"{name}_command") for name in ("crash", "start")}
        super().__init__(server, data, {**stored, "binlog_index": server.binlog_index})

    def clean_binlog_index(self) -> str:
        path = clean_path(self.cleaned_data["binlog_index"], "index")
        if path and not path.endswith(".index"):
            raise ValidationError("The index of a binary log ends in .index. Nothing was marked.")
        return path
