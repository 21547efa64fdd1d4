"""The page of all claims, and its files."""

from collections.abc import Sequence

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from dashboard.pages.accounts.gate import needs
from dashboard.pages.reproduction.files import table
from dashboard.pages.reproduction.statements import Section, sections
from dashboard.pages.reproduction.summary import counts, measured_between, of_the_articles, sentence
from dashboard.pages.results.files import TABLE_FORMS
from dashboard.records.experiments import shelf


@needs("see", "GET")
def claims(request: HttpRequest) -> HttpResponse:
    return render(request, "reproduction/claims.html", _context(sections(shelf.shelf().recipes.values())))


def _context(found: Sequence[Section]) -> dict[str, object]:
    counted = counts(of_the_articles(found))
    return {
        "sections": [{"section": one, "counts": counts(one.statements)} for one in found],
        "counts": counted,
        "sentence": sentence(counted),
        "between": measured_between(of_the_articles(found)),
    }


@needs("see", "GET")
def file(request: HttpRequest, form: str) -> HttpResponse:
    if form not in TABLE_FORMS:
        raise Http404("No such form.")
    return TABLE_FORMS[form](table(sections(shelf.shelf().recipes.values())), "claims")
