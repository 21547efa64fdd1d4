"""{{ experiment|does_now }}: why an experiment waits, or what its worker does."""

from django import template

from dashboard.records.experiments import waiting

register = template.Library()
register.filter(waiting.does_now)
