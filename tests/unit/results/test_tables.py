"""Rows that Python writes: nothing in them is taken for HTML, and what is not known looks so."""

from dataclasses import replace

from dashboard.charts.chart import NOT_AVAILABLE, ChartTable
from dashboard.pages.templatetags.tables import CellRow, rows_of, rows_of_cells
from dashboard.text.numbers import UNKNOWN

EVIL = '<script>"&'
ESCAPED = "&lt;script&gt;&quot;&amp;"


def test_of_a_chart():
    columns = (("Variant", "text"), ("TPS", "number"), ("Why", "text"))
    first, second = rows_of(ChartTable(columns, ((EVIL, 1234.56, EVIL), ("b", None, NOT_AVAILABLE)))).split("\n")
    assert first == f'<tr><th scope="row">{ESCAPED}</th><td class="num">1,235</td><td>{ESCAPED}</td></tr>'
    unknown = f'<td class="unknown-cell">{UNKNOWN}</td><td class="unknown-cell">not available here</td>'
    assert second == f'<tr><th scope="row">b</th>{unknown}</tr>'


def test_a_number_may_name_a_row():
    table = ChartTable((("Threads", "whole"), ("TPS", "number")), ((16, 2.0), (None, 1.0)))
    first, second = rows_of(table).split("\n")
    assert first.startswith('<tr><th scope="row" class="num">16</th>')
    assert second.startswith(f'<tr><th scope="row">{UNKNOWN}</th>')


def test_of_an_experiment():
    cell = CellRow(1, "/results/cells/7/", EVIL, EVIL, EVIL, 16, 1, 1234.56, "done", "")
    failed = replace(cell, place=2, url="", tps=None, state="failed", says=f"{EVIL} Do it again.")
    done, broken = rows_of_cells([cell, failed]).split("\n")
    assert done == (
        f'<tr><td class="num"><a href="/results/cells/7/">1</a></td>{f"<td>{ESCAPED}</td>" * 3}<td class="num">16</td>'
        '<td class="num">1</td><td class="num">1,235</td><td>measured</td></tr>'
    )
    assert broken.startswith('<tr><td class="num">2</td>')
    assert broken.endswith(
        f'<td class="num">{UNKNOWN}</td><td><span class="badge failed">failed</span> {ESCAPED} Do it again.</td></tr>'
    )


def test_a_table_without_rows_is_empty():
    assert rows_of(ChartTable((("a", "text"),))) == "" and rows_of_cells([]) == ""
