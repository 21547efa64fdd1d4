"""The form that hands a server over. Persons who may register a server can own it."""

from django import forms
from django.contrib.auth.models import User

from dashboard.records.accounts.role import RANKS
from dashboard.records.accounts.roles import OPERATIONS

OWNERS = RANKS[RANKS.index(OPERATIONS["register_server"].least) :]


class HandOverForm(forms.Form):
    to = forms.ModelChoiceField(
        User.objects.filter(is_active=True, person__role__in=OWNERS).order_by("username"),
        label="New owner",
        error_messages={"invalid_choice": "Choose an operator or an administrator."},
        help_text="The person who may change and crash this server from now on.",
    )
