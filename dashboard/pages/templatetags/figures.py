"""Values in words, as filters that are loaded in every template."""

from django import template

from dashboard.records.experiments import why_queued
from dashboard.text import numbers
from workers.sandbox import storage

register = template.Library()
for _name in ("sig", "number", "whole", "unit", "percent", "duration", "ms", "size", "mib", "at"):
    register.filter(_name, getattr(numbers, _name))
register.filter(why_queued.does_now)
register.filter("device", storage.explain)
