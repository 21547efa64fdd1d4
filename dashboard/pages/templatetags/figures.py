"""The functions of `dashboard.text.numbers` as filters, loaded in every template."""

from django import template

from dashboard.text import numbers

register = template.Library()
for _name in (
    "sig",
    "number",
    "whole",
    "unit",
    "percent",
    "duration",
    "ms",
    "size",
    "mib",
    "interval",
    "times",
    "at",
):
    register.filter(_name, getattr(numbers, _name))
