"""The filter of the audit log: person, verb, object and days."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.db.models import QuerySet

from dashboard.records.audit.models import Event
from dashboard.records.audit.queries import each

LOOKUPS = {"verb": "did", "object": "what__icontains", "since": "at__date__gte", "until": "at__date__lte"}
SYSTEM = "-"  # in the choice of persons: what nobody did


class AuditFilterForm(forms.Form):
    """Everything may be left out; what is given narrows."""

    person = forms.ChoiceField(required=False)
    verb = forms.ChoiceField(required=False, label="Act")
    object = forms.CharField(required=False, max_length=200, help_text="A part of the object's name.")
    since = forms.DateField(required=False, label="From", widget=forms.DateInput(attrs={"type": "date"}))
    until = forms.DateField(required=False, label="To", widget=forms.DateInput(attrs={"type": "date"}))

    def __init__(self, data: Mapping[str, Any]) -> None:
        super().__init__(data)
        people = [("", "anybody"), (SYSTEM, "the system"), *((one, one) for one in each("name") if one)]
        self.fields["person"] = forms.ChoiceField(choices=people, required=False)
        done = [("", "anything"), *((one, one) for one in each("did"))]
        self.fields["verb"] = forms.ChoiceField(choices=done, required=False, label="Act")

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if data.get("since") and data.get("until") and data["since"] > data["until"]:
            self.add_error("until", "This day is before the first one.")
        return data


def events(asked: Mapping[str, object]) -> QuerySet[Event]:
    """Newest first. `asked`: the form's cleaned data; days are days of UTC, both included."""
    wanted = {lookup: value for name, lookup in LOOKUPS.items() if (value := asked.get(name))}
    if person := asked.get("person"):
        wanted["name"] = "" if person == SYSTEM else person
    return Event.objects.filter(**wanted)
