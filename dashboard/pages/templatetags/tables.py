"""The rows of long tables. A page has thousands of cells, and written in a template they took most of its time."""

from collections.abc import Iterable, Mapping
from html import escape  # Django's looks for lazy and safe texts first, of which there are none here
from typing import Any

from django import template
from django.utils.safestring import SafeString, mark_safe

from dashboard.charts.chart import NOT_AVAILABLE, Cell, ChartTable
from dashboard.text.numbers import FORMATS, UNKNOWN, number

register = template.Library()


@register.filter
def rows_of(table: ChartTable) -> SafeString:
    """`<tr>` by `<tr>` of a chart's table; every text is escaped, the first cell of a row names it."""
    kinds = [kind for _, kind in table.columns]
    return _rows(_row(row, kinds) for row in table.rows)


def _row(row: Iterable[Cell], kinds: Iterable[str]) -> str:
    (name, kind), *rest = zip(row, kinds, strict=True)
    look = ' class="num"' if name is not None and kind != "text" else ""
    return f'<th scope="row"{look}>{_text(name, kind)}</th>{"".join(_cell(value, kind) for value, kind in rest)}'


def _cell(value: Cell, kind: str) -> str:
    is_unknown = value is None or (kind == "text" and value == NOT_AVAILABLE)
    look = ' class="unknown-cell"' if is_unknown else ' class="num"' if kind != "text" else ""
    return f"<td{look}>{_text(value, kind)}</td>"


def _text(value: Cell, kind: str) -> str:
    return UNKNOWN if value is None else escape(FORMATS[kind](value))


@register.filter
def rows_of_cells(cells: Iterable[Mapping[str, Any]]) -> SafeString:
    """The same of the cells of an experiment. `cells`: dashboard.pages.results.page"""
    return _rows(map(_of_cell, cells))


def _of_cell(cell: Mapping[str, Any]) -> str:
    place = cell["position"] + 1
    link = f'<a href="{escape(cell["url"])}">{place}</a>' if cell["url"] else place
    names = "".join(f"<td>{escape(cell[name])}</td>" for name in ("server", "variant", "workload"))
    figures = (cell["threads"], cell["repeat"], number(cell["run__tps"]))
    numbers = "".join(f'<td class="num">{one}</td>' for one in figures)
    return f'<td class="num">{link}</td>{names}{numbers}<td>{_state(cell)}</td>'


def _state(cell: Mapping[str, Any]) -> str:
    state = cell["state"]
    badge = "measured" if state == "done" else f'<span class="badge {state}">{state}</span>'
    return f"{badge} {escape(cell['error'])} {escape(cell['mend'])}" if cell["error"] else badge


def _rows(rows: Iterable[str]) -> SafeString:
    return mark_safe("\n".join(f"<tr>{row}</tr>" for row in rows))  # noqa: S308 - every text is escaped above
