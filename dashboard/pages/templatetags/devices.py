"""Simulated devices in words."""

from django import template

from workers.sandbox.storage import explain

register = template.Library()


@register.filter
def device(storage: str) -> str:
    """What a variant's `storage` stands for: Disk, 10,000 rpm: 150 fsync/s (K = 6.63 ms, 120 MB/s)."""
    return explain(storage)
