"""Filters and tags that are loaded in every template, beside `terms`: values in words, moments, buttons."""

from datetime import datetime

from django import template
from django.db.models import Model
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timesince import timesince

from dashboard.records.experiments import why_queued
from dashboard.text import numbers
from workers.sandbox import storage

register = template.Library()
for _name in ("sig", "number", "whole", "unit", "percent", "duration", "ms", "size", "mib", "at"):
    register.filter(_name, getattr(numbers, _name))
register.filter(why_queued.does_now)
register.filter("device", storage.explain)


@register.filter
def moment(at: datetime | None) -> SafeString | str:
    """2026-11-23 08:30 UTC."""
    return _time(at, "", f"{at:%Y-%m-%d %H:%M} UTC") if at else numbers.UNKNOWN


@register.filter
def day(at: datetime | None) -> SafeString | str:
    """2026-11-23."""
    return _time(at, "date", f"{at:%Y-%m-%d}") if at else numbers.UNKNOWN


@register.filter
def ago(at: datetime | None) -> SafeString | str:
    """5 minutes ago."""
    return _time(at, "ago", f"{timesince(at)} ago") if at else numbers.UNKNOWN


def _time(at: datetime, look: str, says: str) -> SafeString:
    """js/app/times.js shows it in the reader's zone, without scripts it is in UTC."""
    return format_html('<time datetime="{}" data-time="{}">{}</time>', at.isoformat(), look, says)


@register.inclusion_tag("components/post_button.html")
def post_button(says: str, to: str, one: Model, *, look: str = "", ask: str = "") -> dict[str, str]:
    """{% post_button "Delete" "servers:delete" server look="danger" ask="Delete {}? ..." %}: a form that is one button.
    `to`: the name of the address that takes `one`. `look`: classes of the button. `ask`: the question of confirm.js; {}
    in it becomes the name of `one`."""
    return {"says": says, "look": look, "action": reverse(to, args=[one.pk]), "ask": ask.format(one)}
