from django import forms
from django.http import QueryDict
from django.utils.html import format_html

from dashboard.records.notifications.channels import CHANNELS
from dashboard.records.notifications.channels.address import BadAddress
from dashboard.records.notifications.events import EVENTS
from dashboard.records.notifications.models import Channel
from dashboard.text.names import check_name


class ChannelForm(forms.Form):
    """A channel of one kind. The stored address is never shown; an empty field keeps it."""

    name = forms.CharField(max_length=80, validators=[check_name], help_text="The name of this channel in the list.")
    address = forms.CharField(max_length=2000, widget=forms.TextInput(attrs={"autocomplete": "off"}))
    events = forms.MultipleChoiceField(
        label="Events",
        choices=[(key, f"{kind.title}: {kind.says}") for key, kind in EVENTS.items()],
        widget=forms.CheckboxSelectMultiple,
        initial=list(EVENTS),
        required=False,
        help_text="If none is ticked, only the messages of Send a test arrive.",
    )

    def __init__(self, kind: str, data: QueryDict | None = None, *, channel: Channel | None = None) -> None:
        super().__init__(data, initial={"name": channel.name, "events": channel.events} if channel else None)
        self.kind, self._channel = kind, channel
        self.fields["address"].help_text = CHANNELS[kind].hint
        if channel:
            self.fields["address"].required = False
            self.fields["address"].help_text = format_html("Now {}. Leave it empty to keep it.", channel.shown)

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        others = Channel.objects.exclude(pk=self._channel.pk) if self._channel else Channel.objects.all()
        if others.filter(name=name).exists():
            raise forms.ValidationError("Another channel has this name. Choose a different name.")
        return name

    def clean_address(self) -> str:
        address = self.cleaned_data["address"]
        try:
            return CHANNELS[self.kind].check(address) if address else ""
        except BadAddress as wrong:
            raise forms.ValidationError(str(wrong)) from wrong
