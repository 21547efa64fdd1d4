import csv
import json
from collections.abc import Iterator, Mapping
from typing import Any

from django import forms
from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render

from dashboard.pages.accounts.gate import needs
from dashboard.records.audit.models import Event
from dashboard.records.audit.queries import each
from dashboard.text.spreadsheet import plain

PER_PAGE = 100
COLUMNS = ("at", "who", "did", "what", "detail")  # of the file
LOOKUPS = {"verb": "did", "object": "what__icontains", "since": "at__date__gte", "until": "at__date__lte"}
SYSTEM = "-"  # in the choice of persons: what nobody did


class AuditFilterForm(forms.Form):
    """Everything may be left out; what is given narrows."""

    person = forms.ChoiceField(required=False)
    verb = forms.ChoiceField(required=False, label="Act")
    object = forms.CharField(required=False, max_length=200, help_text="A part of the object's name.")
    since = forms.DateField(required=False, label="From", widget=forms.DateInput(attrs={"type": "date"}))
    until = forms.DateField(required=False, label="To", widget=forms.DateInput(attrs={"type": "date"}))

    def __init__(self, data: Mapping[str, Any]) -> None:
        super().__init__(data)
        people = [("", "anybody"), (SYSTEM, "the system"), *((one, one) for one in each("name") if one)]
        self.fields["person"] = forms.ChoiceField(choices=people, required=False)
        done = [("", "anything"), *((one, one) for one in each("did"))]
        self.fields["verb"] = forms.ChoiceField(choices=done, required=False, label="Act")

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if data.get("since") and data.get("until") and data["since"] > data["until"]:
            self.add_error("until", "This day is before the first one.")
        return data


def events(asked: Mapping[str, object]) -> QuerySet[Event]:
    """Newest first. `asked`: the form's cleaned data; days are days of UTC, both included."""
    wanted = {lookup: value for name, lookup in LOOKUPS.items() if (value := asked.get(name))}
    if person := asked.get("person"):
        wanted["name"] = "" if person == SYSTEM else person
    return Event.objects.filter(**wanted)


def _page(found: QuerySet[Event], asked: str | None) -> Page[Event]:
    """One of the older half is counted from the oldest event, because the database reads all that it skips."""
    page = Paginator(found, PER_PAGE).get_page(asked)
    count, begin, end = page.paginator.count, page.start_index() - 1, page.end_index()
    if 2 * begin > count:
        page.object_list = list(found.reverse()[count - end : count - begin])[::-1]
    return page


@needs("administer", "GET")
def log(request: HttpRequest) -> HttpResponse:
    form = AuditFilterForm(request.GET)
    found = events(form.cleaned_data if form.is_valid() else {})
    query = request.GET.copy()
    query.pop("page", None)
    context = {"form": form, "page": _page(found, request.GET.get("page")), "query": query}
    return render(request, "audit/list.html", context)


class _Line:
    """A file for csv.writer that returns each line."""

    def write(self, line: str) -> str:
        return line


def _csv_lines(found: QuerySet[Event]) -> Iterator[str]:
    rows = csv.writer(_Line())
    yield rows.writerow(COLUMNS)
    for event in found.iterator(chunk_size=1000):
        row = _row(event)
        yield rows.writerow([plain(row[name]) for name in COLUMNS[:-1]] + [json.dumps(row["detail"])])


def _json_lines(found: QuerySet[Event]) -> Iterator[str]:
    """One list with one event per line."""
    before = "["
    for event in found.iterator(chunk_size=1000):
        yield f"{before}\n{json.dumps(_row(event))}"
        before = ","
    yield "[]\n" if before == "[" else "\n]\n"


def _row(event: Event) -> dict[str, object]:
    at = event.at.isoformat()
    return {"at": at, "who": event.name, "did": event.did, "what": event.what, "detail": event.detail}


FORMS = {"csv": (_csv_lines, "text/csv; charset=utf-8"), "json": (_json_lines, "application/json")}


def _as_file(found: QuerySet[Event], form: str) -> StreamingHttpResponse:
    """Streamed, because it can be long."""
    lines, kind = FORMS[form]
    response = StreamingHttpResponse(lines(found), content_type=kind)
    response["Content-Disposition"] = f'attachment; filename="durascope-audit.{form}"'
    return response


@needs("administer", "GET")
def export(request: HttpRequest, form: str) -> HttpResponseBase:
    """All events of the filter of the page. A wrong filter is refused, because it would export too much."""
    asked = AuditFilterForm(request.GET)
    if form not in FORMS:
        raise Http404("No such format.")
    if not asked.is_valid():
        wrong = [f"{name}: {' '.join(map(str, errors))}" for name, errors in asked.errors.items()]
        return HttpResponse("\n".join(wrong), status=400, content_type="text/plain; charset=utf-8")
    return _as_file(events(asked.cleaned_data), form)
