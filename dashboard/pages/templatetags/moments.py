"""Moments as `<time>`: js/app/times.js shows them in the reader's zone, without scripts they are in UTC. Loaded in
every template."""

from datetime import datetime

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timesince import timesince

from dashboard.text.numbers import UNKNOWN

register = template.Library()


@register.filter
def moment(at: datetime | None) -> SafeString | str:
    """2026-11-23 08:30 UTC."""
    return _time(at, "", f"{at:%Y-%m-%d %H:%M} UTC") if at else UNKNOWN


@register.filter
def day(at: datetime | None) -> SafeString | str:
    """2026-11-23."""
    return _time(at, "date", f"{at:%Y-%m-%d}") if at else UNKNOWN


@register.filter
def ago(at: datetime | None) -> SafeString | str:
    """5 minutes ago."""
    return _time(at, "ago", f"{timesince(at)} ago") if at else UNKNOWN


def _time(at: datetime, look: str, says: str) -> SafeString:
    return format_html('<time datetime="{}" data-time="{}">{}</time>', at.isoformat(), look, says)
