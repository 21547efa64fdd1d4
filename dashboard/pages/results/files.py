"""Charts and tables as files: CSV for spreadsheets, JSON for programs."""

import csv
import io

from django.http import HttpResponse, JsonResponse
from django.utils.text import slugify

from dashboard.charts.chart import Chart, ChartTable
from dashboard.text.spreadsheet import plain


def as_json(chart: Chart, name: str) -> HttpResponse:
    """The payload of docs/contributing/charts.md, with the table's raw values."""
    table = {"columns": chart.table.raw_titles, "rows": [list(row) for row in chart.table.rows]}
    return _named(JsonResponse({**chart.payload(), "table": table, "source": chart.source}), name, chart, "json")


def as_csv(chart: Chart, name: str) -> HttpResponse:
    """The table with full precision and without thousands separators. Unknown values are empty."""
    return _named(_csv(chart.table), name, chart, "csv")


def table_as_json(table: ChartTable, name: str) -> HttpResponse:
    rows = [dict(zip(table.raw_titles, row, strict=True)) for row in table.rows]
    return _called(JsonResponse({"rows": rows}), f"{name}.json")


def table_as_csv(table: ChartTable, name: str) -> HttpResponse:
    return _called(_csv(table), f"{name}.csv")


FORMS = {"json": as_json, "csv": as_csv}
TABLE_FORMS = {"json": table_as_json, "csv": table_as_csv}


def _csv(table: ChartTable) -> HttpResponse:
    text = io.StringIO()
    rows = csv.writer(text)
    rows.writerow(table.raw_titles)
    rows.writerows([[plain(value) for value in row] for row in table.rows])
    return HttpResponse(text.getvalue(), content_type="text/csv; charset=utf-8")


def _named(response: HttpResponse, name: str, chart: Chart, form: str) -> HttpResponse:
    return _called(response, f"{slugify(name)[:60] or 'experiment'}-{chart.key}.{form}")


def _called(response: HttpResponse, name: str) -> HttpResponse:
    response["Content-Disposition"] = f'inline; filename="{name}"'
    return response
