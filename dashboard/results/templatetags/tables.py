"""The rows of a chart's table. A page has thousands of cells, and written in a template they took most of its time."""

from collections.abc import Iterable, Mapping
from html import escape  # Django's looks for lazy and safe texts first, of which there are none here
from typing import Any

from django import template
from django.utils.safestring import SafeString, mark_safe

from dashboard.results.charts.chart import Table

register = template.Library()


@register.filter
def rows_of(table: Table) -> SafeString:
    """`<tr>` by `<tr>`; every text is escaped, the first cell of a row names it."""
    return mark_safe("\n".join(map(_row, table.shown())))  # noqa: S308 - see _cell


def _row(cells: Iterable[Mapping[str, Any]]) -> str:
    return f"<tr>{''.join(_cell(cell, first=not at) for at, cell in enumerate(cells))}</tr>"


def _cell(cell: Mapping[str, Any], first: bool) -> str:
    look = ' class="num"' if cell["number"] else ' class="unknown-cell"' if cell["unknown"] and not first else ""
    text = escape(cell["text"])
    return f'<th scope="row"{look}>{text}</th>' if first else f"<td{look}>{text}</td>"
