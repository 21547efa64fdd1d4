from functools import partial

from django import forms
from django.conf import settings
from django.contrib import messages
from django.db import IntegrityError
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.html import format_html

from dashboard.pages.accounts.gate import needs
from dashboard.pages.buttons import button
from dashboard.records.notifications import actions
from dashboard.records.notifications.channels import CHANNELS
from dashboard.records.notifications.channels.address import BadAddress
from dashboard.records.notifications.events import EVENTS
from dashboard.records.notifications.models import Channel, Delivery
from dashboard.text.names import check_name

SHOWN = 100  # newest messages
TAKEN = "Another channel has this name. Choose a different name."


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
        help_text="If none is ticked, only test messages are sent (the list of channels has a button for them).",
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
            raise forms.ValidationError(TAKEN)
        return name

    def clean_address(self) -> str:
        address = self.cleaned_data["address"]
        try:
            return CHANNELS[self.kind].check(address) if address else ""
        except BadAddress as wrong:
            raise forms.ValidationError(str(wrong)) from wrong


@needs("notify", "GET")
def index(request: HttpRequest) -> HttpResponse:
    channels = [(one, [EVENTS[key].title for key in one.events if key in EVENTS]) for one in Channel.objects.all()]
    deliveries = list(Delivery.objects.all()[:SHOWN])
    context = {
        "channels": channels,
        "kinds": Channel.Kind.choices,
        "deliveries": deliveries,
        "waiting": any(one.state == Delivery.State.WAITING for one in deliveries),
        "no_address": not settings.ADDRESS,
        "no_mail": not settings.EMAIL_HOST and any(one.kind == Channel.Kind.EMAIL for one, _ in channels),
    }
    return render(request, "notifications/list.html", context)


@needs("notify", "GET", "POST")
def new(request: HttpRequest, kind: str) -> HttpResponse:
    if kind not in CHANNELS:
        raise Http404("No such kind of channel.")
    form = ChannelForm(kind, request.POST or None)
    if not form.is_valid():
        return _form_page(request, form)
    try:
        channel, secret = actions.add(request.user, kind, **form.cleaned_data)
    except IntegrityError:  # of two clicks at once
        form.add_error("name", TAKEN)
        return _form_page(request, form)
    if not secret:
        messages.success(request, f"{channel} is added. Send a test to see whether messages arrive.")
        return redirect("notifications:list")
    return _form_page(request, ChannelForm(kind, channel=channel), channel, secret)


@needs("notify", "GET", "POST")
def edit(request: HttpRequest, pk: int) -> HttpResponse:
    channel = get_object_or_404(Channel, pk=pk)
    form = ChannelForm(channel.kind, request.POST or None, channel=channel)
    if not form.is_valid():
        return _form_page(request, form, channel)
    try:
        actions.change(request.user, channel, **form.cleaned_data)
    except IntegrityError:
        form.add_error("name", TAKEN)
        return _form_page(request, form, channel)
    messages.success(request, f"{channel} is saved.")
    return redirect("notifications:list")


@needs("notify", "POST")
def secret(request: HttpRequest, pk: int) -> HttpResponse:
    """No redirect: this answer alone shows the secret."""
    channel = get_object_or_404(Channel, pk=pk)
    fresh = actions.renew_secret(request.user, channel)
    return _form_page(request, ChannelForm(channel.kind, channel=channel), channel, fresh)


def _form_page(
    request: HttpRequest, form: ChannelForm, channel: Channel | None = None, secret: str = ""
) -> HttpResponse:
    way, title = CHANNELS[form.kind], Channel.Kind(form.kind).label
    context = {"form": form, "channel": channel, "secret": secret, "way": way, "title": title}
    response = render(request, "notifications/form.html", context, status=422 if form.errors else 200)
    response["Cache-Control"] = "no-store"  # it may hold a new secret
    return response


_button = partial(button, Channel.objects.all(), "notifications:edit", "notify", then="notifications:list")
test = _button(actions.send_test, "A test to {} is queued. The list below shows its state.")
pause = _button(actions.pause, "{} is paused. Events during the pause are not sent, also not later.")
resume = _button(actions.resume, "{} is resumed and gets messages again.")
delete = _button(actions.remove, "{} is deleted. The log of its messages stays.")
