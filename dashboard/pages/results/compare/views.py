"""Views of comparisons. `dashboard.pages.sharing` calls them too, with the points that were shared and no others."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from dashboard.charts.compared import KEY
from dashboard.findings.compare.choice import AskedComparison, choice
from dashboard.pages.accounts.gate import needs
from dashboard.pages.results.compare.comparison import comparison
from dashboard.pages.results.compare.page import context
from dashboard.pages.results.files import FORMS


@needs("see", "GET")
def page(request: HttpRequest) -> HttpResponse:
    """Points of any experiments side by side, as the address chooses them."""
    return compare_page(request, choice(request.GET))


def compare_page(request: HttpRequest, chosen: AskedComparison, token: str = "") -> HttpResponse:
    return render(request, "results/compare.html", context(chosen, token, request.GET.dict()))


@needs("see", "GET")
def chart(request: HttpRequest, key: str, form: str) -> HttpResponse:
    return compare_chart(choice(request.GET), key, form)


def compare_chart(chosen: AskedComparison, key: str, form: str, token: str = "") -> HttpResponse:
    if key != KEY or form not in FORMS:
        raise Http404("No such chart or form.")
    return FORMS[form](comparison(chosen, token).chart, "comparison")
