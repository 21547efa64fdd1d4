from django import forms
from django.core.exceptions import ValidationError

from dashboard.records.servers.levels import DISASTERS, Wanted


class LevelForm(forms.Form):
    """All fields empty: the server has no level."""

    commits_per_s = forms.FloatField(
        label="Commits per second, at least", required=False, min_value=1, max_value=1e7,
        help_text="Measured by the load of each experiment on this server. Leave it empty if only losses matter.",
    )  # fmt: skip
    p99_ms = forms.FloatField(
        label="p99 of a transaction, at most (ms)", required=False, min_value=0.001, max_value=1e6,
        help_text="99 of 100 transactions are faster. Judged at the load that reaches the commits per second.",
    )  # fmt: skip
    survives = forms.MultipleChoiceField(
        label="Acknowledged commits survive when",
        choices=[(key, one.title) for key, one in DISASTERS.items()],
        widget=forms.CheckboxSelectMultiple,
        help_text="Judged by crash trials: 36 without a loss are needed, or 100 crash points of 6 loads.",
        required=False,
    )
    lost_s = forms.FloatField(
        label="Except the last ... seconds of commits", required=False, min_value=0, max_value=86_400, initial=0,
        help_text="The recovery point objective (RPO). 0: nothing may be lost.",
    )  # fmt: skip

    def get_initial_for_field(self, field: forms.Field, field_name: str) -> object:
        """4000, not 4000.0."""
        value = super().get_initial_for_field(field, field_name)
        return f"{value:.10g}" if isinstance(value, float) else value

    def clean(self) -> None:
        given = self.cleaned_data
        if given.get("p99_ms") is not None and given.get("commits_per_s") is None:
            raise ValidationError("A p99 needs a throughput: enter the commits per second at which it must hold.")
        if given.get("lost_s") and not given.get("survives"):
            raise ValidationError("Tick the crashes after which at most these seconds of commits may be missing.")

    def wanted(self) -> Wanted:
        """Of a valid form."""
        given = self.cleaned_data
        return Wanted(given["commits_per_s"], given["p99_ms"], tuple(given["survives"]), given["lost_s"] or 0.0)
