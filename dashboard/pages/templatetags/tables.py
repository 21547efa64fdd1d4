"""Rows of long tables. Thousands of cells in a template took most of the time of a page."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from html import escape  # faster than Django's, which checks for lazy and safe texts

from django import template
from django.utils.safestring import SafeString, mark_safe

from dashboard.charts.chart import NOT_AVAILABLE, Cell, ChartTable
from dashboard.text.numbers import FORMATS, UNKNOWN, number

register = template.Library()


@register.filter
def rows_of(table: ChartTable) -> SafeString:
    """The rows of the table of a chart. All texts are escaped; the first cell is the heading of its row."""
    kinds = [kind for _, kind in table.columns]
    return _rows(_row(row, kinds) for row in table.rows)


def _row(row: Iterable[Cell], kinds: Iterable[str]) -> str:
    (name, kind), *rest = zip(row, kinds, strict=True)
    look = ' class="num"' if name is not None and kind != "text" else ""
    return f'<th scope="row"{look}>{_text(name, kind)}</th>{"".join(_cell(value, kind) for value, kind in rest)}'


@lru_cache(8192, typed=True)  # the same names and thread counts stand in many rows
def _cell(value: Cell, kind: str) -> str:
    is_unknown = value is None or (kind == "text" and value == NOT_AVAILABLE)
    look = ' class="unknown-cell"' if is_unknown else ' class="num"' if kind != "text" else ""
    return f"<td{look}>{_text(value, kind)}</td>"


def _text(value: Cell, kind: str) -> str:
    return UNKNOWN if value is None else escape(FORMATS[kind](value))


@dataclass(frozen=True)
class CellRow:
    """A cell of an experiment. `url`: "" without a page; `says`: its error and the fix."""

    place: int
    url: str
    server: str
    variant: str
    workload: str
    threads: int
    repeat: int
    tps: float | None
    state: str
    says: str


@register.filter
def rows_of_cells(cells: Iterable[CellRow]) -> SafeString:
    return _rows(map(_of_cell, cells))


def _of_cell(cell: CellRow) -> str:
    link = f'<a href="{escape(cell.url)}">{cell.place}</a>' if cell.url else cell.place
    names = "".join(_cell(name, "text") for name in (cell.server, cell.variant, cell.workload))
    figures = (cell.threads, cell.repeat, number(cell.tps))
    numbers = "".join(f'<td class="num">{one}</td>' for one in figures)
    return f'<td class="num">{link}</td>{names}{numbers}<td>{_state(cell)}</td>'


def _state(cell: CellRow) -> str:
    badge = "measured" if cell.state == "done" else f'<span class="badge {cell.state}">{cell.state}</span>'
    return f"{badge} {escape(cell.says)}" if cell.says else badge


def _rows(rows: Iterable[str]) -> SafeString:
    return mark_safe("\n".join(f"<tr>{row}</tr>" for row in rows))  # noqa: S308 - every text is escaped above
