"""The functions of `dashboard.numbers` as filters, loaded in every template."""

from django import template

from dashboard import numbers

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
