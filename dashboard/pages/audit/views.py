from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render

from dashboard.pages.accounts.gate import needs
from dashboard.pages.audit.files import FORMS
from dashboard.pages.audit.filter import AuditFilterForm, events
from dashboard.records.audit.models import Event

PER_PAGE = 100


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
    context = {
        "form": form,
        "page": _page(found, request.GET.get("page")),
        "query": query,
    }
    return render(request, "audit/list.html", context)


@needs("administer", "GET")
def export(request: HttpRequest, form: str) -> HttpResponseBase:
    """All events of the filter of the page. A wrong filter is refused, because it would export too much."""
    asked = AuditFilterForm(request.GET)
    if form not in FORMS:
        raise Http404("No such format.")
    if not asked.is_valid():
        wrong = [f"{name}: {' '.join(map(str, errors))}" for name, errors in asked.errors.items()]
        return HttpResponse("\n".join(wrong), status=400, content_type="text/plain; charset=utf-8")
    return FORMS[form](events(asked.cleaned_data))
