"""Pages of notifications: channels and sent messages."""

from functools import partial

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from dashboard.pages.accounts.gate import needs
from dashboard.pages.buttons import button
from dashboard.pages.notifications.forms import ChannelForm
from dashboard.records.notifications import actions
from dashboard.records.notifications.channels import CHANNELS
from dashboard.records.notifications.events import EVENTS
from dashboard.records.notifications.models import Channel, Delivery

SHOWN = 100  # newest messages


@needs("notify", "GET")
def index(request: HttpRequest) -> HttpResponse:
    channels = [(one, [EVENTS[key].title for key in one.events if key in EVENTS]) for one in Channel.objects.all()]
    context = {
        "channels": channels,
        "kinds": Channel.Kind.choices,
        "deliveries": Delivery.objects.all()[:SHOWN],
        "no_address": not settings.ADDRESS,
        "no_mail": not settings.EMAIL_HOST and any(one.kind == Channel.Kind.EMAIL for one, _ in channels),
    }
    return render(request, "notifications/list.html", context)


@needs("notify", "GET", "POST")
def new(request: HttpRequest, kind: str) -> HttpResponse:
    if kind not in CHANNELS:
        raise Http404("No such kind of channel.")
    form = ChannelForm(kind, request.POST or None)
    if request.method == "GET" or not form.is_valid():
        return _form_page(request, form)
    channel, secret = actions.add(request.user, kind, **form.cleaned_data)
    if not secret:
        messages.success(request, f"{channel} is added. Send a test to see whether messages arrive.")
        return redirect("notifications:list")
    return _form_page(request, ChannelForm(kind, channel=channel), channel, secret)


@needs("notify", "GET", "POST")
def edit(request: HttpRequest, pk: int) -> HttpResponse:
    channel = get_object_or_404(Channel, pk=pk)
    form = ChannelForm(channel.kind, request.POST or None, channel=channel)
    if request.method == "GET" or not form.is_valid():
        return _form_page(request, form, channel)
    actions.change(request.user, channel, **form.cleaned_data)
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
test = _button(
    actions.send_test, "A test to {} is queued. Reload this page in a moment: the list below shows its state."
)
pause = _button(actions.pause, "{} is paused. Events during the pause are not sent, also not later.")
resume = _button(actions.resume, "{} is resumed and gets messages again.")
delete = _button(actions.remove, "{} is deleted. The log of its messages stays.")
