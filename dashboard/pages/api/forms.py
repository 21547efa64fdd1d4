from django import forms
from django.http import QueryDict

from dashboard.pages.api.service import scopes
from dashboard.records.accounts.actor import Actor
from dashboard.records.accounts.roles import OPERATIONS, allowed
from dashboard.text.names import check_name

EXPIRIES = ((7, "after 7 days"), (30, "after 30 days"), (90, "after 90 days"), (365, "after a year"))


class TokenForm(forms.Form):
    """Offers the scopes that the person's role allows."""

    name = forms.CharField(
        max_length=80, validators=[check_name], help_text="For example the script that uses the token."
    )
    scopes = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple, label="Scopes", help_text="Choose only the scopes that your script needs."
    )
    days = forms.TypedChoiceField(
        choices=EXPIRIES, coerce=int, initial=90, label="Expires", help_text="The token stops working at this time."
    )

    def __init__(self, user: Actor, data: QueryDict | None = None) -> None:
        super().__init__(data)
        offered = [scope for scope in scopes() if allowed(user, scope)]
        field = self.fields["scopes"]
        assert isinstance(field, forms.MultipleChoiceField)
        field.choices = [(scope, f"{scope}: {OPERATIONS[scope].says}") for scope in offered]
        field.initial = ["see"]
