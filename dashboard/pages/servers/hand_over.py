"""Handing a server over: who can own it."""

from collections.abc import Mapping

from django import forms
from django.contrib.auth.models import User

from dashboard.records.accounts.role import RANKS
from dashboard.records.accounts.roles import OPERATIONS
from dashboard.records.servers.models import Server

OWNERS = RANKS[RANKS.index(OPERATIONS["register_server"].least) :]


class HandOverForm(forms.Form):
    def __init__(self, server: Server, data: Mapping[str, object] | None = None) -> None:
        super().__init__(data, initial={"to": server.owner_id})
        able = User.objects.filter(is_active=True, person__role__in=OWNERS)
        self.fields["to"] = forms.ModelChoiceField(
            able.order_by("username"),
            label="New owner",
            help_text="The person who may change and crash this server from now on.",
        )
