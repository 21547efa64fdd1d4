"""Handing a server over: who can own it."""

from typing import Any

from django import forms
from django.contrib.auth.models import User

from dashboard.records.accounts.role import RANKS
from dashboard.records.accounts.roles import OPERATIONS
from dashboard.records.servers.models import Server

OWNERS = RANKS[RANKS.index(OPERATIONS["register_server"].least) :]


class HandOverForm(forms.Form):
    to = forms.ModelChoiceField(User.objects.none(), label="New owner", help_text="Who may change it from then on.")

    def __init__(self, server: Server, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, initial={"to": server.owner_id}, **kwargs)
        able = User.objects.filter(is_active=True, person__role__in=OWNERS)
        self.fields["to"].queryset = able.order_by("username")
