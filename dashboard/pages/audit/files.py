"""The audit log as a file, streamed because it can be long."""

import csv
import json
from collections.abc import Iterator

from django.db.models import QuerySet
from django.http import StreamingHttpResponse

from dashboard.records.audit.models import Event
from dashboard.text.spreadsheet import plain

COLUMNS = ("at", "who", "did", "what", "detail")


class _Line:
    """A file for csv.writer that returns each line."""

    def write(self, line: str) -> str:
        return line


def _csv_lines(events: QuerySet[Event]) -> Iterator[str]:
    rows = csv.writer(_Line())
    yield rows.writerow(COLUMNS)
    for event in events.iterator(chunk_size=1000):
        row = _row(event)
        yield rows.writerow([plain(row[name]) for name in COLUMNS[:-1]] + [json.dumps(row["detail"])])


def _json_lines(events: QuerySet[Event]) -> Iterator[str]:
    """One list with one event per line."""
    before = "["
    for event in events.iterator(chunk_size=1000):
        yield f"{before}\n{json.dumps(_row(event))}"
        before = ","
    yield "[]\n" if before == "[" else "\n]\n"


def _row(event: Event) -> dict[str, object]:
    at = event.at.isoformat()
    return {"at": at, "who": event.name, "did": event.did, "what": event.what, "detail": event.detail}


FORMS = {"csv": (_csv_lines, "text/csv; charset=utf-8"), "json": (_json_lines, "application/json")}


def as_file(events: QuerySet[Event], form: str) -> StreamingHttpResponse:
    lines, kind = FORMS[form]
    response = StreamingHttpResponse(lines(events), content_type=kind)
    response["Content-Disposition"] = f'attachment; filename="durascope-audit.{form}"'
    return response
