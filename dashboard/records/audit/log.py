"""The log as people ask for it: by person, verb, object and days."""

from typing import Any

from django import forms
from django.db.models import QuerySet

from dashboard.records.audit.models import Event

SYSTEM = "-"  # in the choice of persons: what nobody did


class FilterForm(forms.Form):
    """Everything may be left out; what is given narrows."""

    person = forms.ChoiceField(required=False)
    verb = forms.ChoiceField(required=False)
    object = forms.CharField(required=False, max_length=200, help_text="A part of its name.")
    since = forms.DateField(required=False, label="From", widget=forms.DateInput(attrs={"type": "date"}))
    until = forms.DateField(required=False, label="To", widget=forms.DateInput(attrs={"type": "date"}))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        names = Event.objects.exclude(name="").order_by("name").values_list("name", flat=True).distinct()
        verbs = Event.objects.order_by("did").values_list("did", flat=True).distinct()
        self.fields["person"].choices = [("", "anybody"), (SYSTEM, "the system"), *((one, one) for one in names)]
        self.fields["verb"].choices = [("", "anything"), *((one, one) for one in verbs)]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if data.get("since") and data.get("until") and data["since"] > data["until"]:
            self.add_error("until", "This day is before the first one.")
        return data


def events(asked: dict[str, Any]) -> QuerySet[Event]:
    """Newest first. `asked`: the form's cleaned data; days are days of UTC, both included."""
    found = Event.objects.all()
    if asked.get("person"):
        found = found.filter(name="" if asked["person"] == SYSTEM else asked["person"])
    if asked.get("verb"):
        found = found.filter(did=asked["verb"])
    if asked.get("object"):
        found = found.filter(what__icontains=asked["object"])
    if asked.get("since"):
        found = found.filter(at__date__gte=asked["since"])
    if asked.get("until"):
        found = found.filter(at__date__lte=asked["until"])
    return found
