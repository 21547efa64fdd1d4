"""Forms of schedules. The plan is fixed; the times can be changed."""

from collections.abc import Mapping

from django import forms
from django.utils import timezone

from dashboard.pages.servers.offered import ServersField
from dashboard.records.experiments import actions as experiments
from dashboard.records.experiments import shelf
from dashboard.records.schedules import cron
from dashboard.records.schedules.actions import When
from dashboard.records.schedules.models import Schedule
from dashboard.records.servers.models import Server
from dashboard.text.names import check_name
from workers.bench.plan import Plan
from workers.bench.recipes import QUICK, SIZES
from workers.errors import PlanError

NIGHTLY = "30 2 * * *"


class WhenForm(forms.Form):
    """Name and times. `taken_by`: the schedule to change, which may keep its name."""

    name = forms.CharField(
        max_length=80, validators=[check_name], help_text="The name of this schedule in lists and messages."
    )
    cron = forms.CharField(
        max_length=120,
        label="When",
        initial=NIGHTLY,
        widget=forms.TextInput(attrs={"class": "code", "spellcheck": "false", "autocomplete": "off"}),
        help_text="A cron expression: minute, hour, day of month, month, day of week. "
        "30 2 * * 1-5 is 02:30 from Monday to Friday.",
    )
    zone = forms.ChoiceField(
        label="Time zone",
        choices=lambda: [(zone, zone) for zone in cron.zones()],
        initial="UTC",
        widget=forms.TextInput(attrs={"list": "zones", "spellcheck": "false", "autocomplete": "off"}),
        help_text="Type a city, for example Berlin. Summer time is followed.",
        error_messages={"invalid_choice": "%(value)s is not a time zone. Choose one of the list."},
    )
    ends_by = forms.TimeField(
        required=False,
        label="Must end by",
        widget=forms.TimeInput(attrs={"type": "time"}, format="%H:%M"),
        help_text="For example 06:00, in the time zone above: a run that would probably end later is not started. "
        "A run that still goes on at 06:00 is cancelled, and its measurements are kept.",
    )

    def __init__(
        self,
        data: Mapping[str, object] | None = None,
        *,
        initial: dict[str, object] | None = None,
        taken_by: Schedule | None = None,
    ) -> None:
        super().__init__(data, initial=initial)
        self._others = Schedule.objects.exclude(pk=taken_by.pk) if taken_by else Schedule.objects.all()

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if self._others.filter(name=name).exists():
            raise forms.ValidationError("Another schedule has this name. Choose a different name.")
        return name

    def clean(self) -> dict[str, object]:
        data = super().clean() or self.cleaned_data
        if data.get("cron") and data.get("zone"):
            try:
                cron.check(data["cron"], data["zone"], timezone.now())
            except cron.NoSchedule as wrong:
                self.add_error("cron", str(wrong))
        return data

    def when(self) -> When:
        return When(**{name: self.cleaned_data[name] for name in ("name", "cron", "zone", "ends_by")})


class RecipeForm(WhenForm):
    recipe = forms.ChoiceField(
        choices=lambda: [(one.key, one.title) for part in shelf.presets() for one in part],
        initial=shelf.ON_HOME[0],
        help_text="A ready-made plan, named after its question. If the recipe changes later, this schedule "
        "keeps the plan as it is today.",
    )
    size = forms.ChoiceField(
        choices=[(key, f"{key}: {says}") for key, says in SIZES.items()],
        initial=QUICK,
        help_text="A larger size takes longer. Its figures are more exact (narrower confidence intervals).",
    )
    servers = ServersField(Server.objects.all(), help_text="Several servers are measured one after the other.")
    field_order = ("recipe", "size", "servers", "name", "cron", "zone", "ends_by")

    def plan(self) -> Plan:
        """Raises PlanError if the file of the recipe changed meanwhile."""
        data = self.cleaned_data
        return experiments.plan_recipe(shelf.load(data["recipe"]), data["servers"], size=data["size"])

    def planned(self) -> Plan | None:
        """The plan for the preview; None while the form is incomplete."""
        try:
            return self.plan() if {"recipe", "size", "servers"} <= self.cleaned_data.keys() else None
        except PlanError:
            return None
