"""A form for what a wrong click must not do: the user types the name of the server."""

from collections.abc import Mapping

from django import forms
from django.core.exceptions import ValidationError

from dashboard.records.servers.models import Server


class TypedNameForm(forms.Form):
    typed_name = forms.CharField(
        label="Name of the server", max_length=80, help_text="Type the name as in the heading.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )  # fmt: skip

    def __init__(self, server: Server, data: Mapping[str, object] | None, stored: Mapping[str, object]) -> None:
        super().__init__(data, initial={**stored})
        self.server = server

    def clean_typed_name(self) -> str:
        typed: str = self.cleaned_data["typed_name"]
        if typed != self.server.name:
            raise ValidationError("This is not the name of this server. Nothing was changed.")
        return typed
