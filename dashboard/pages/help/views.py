"""All explanations on one page, and what no result can tell. Readable without scripts."""

import re

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from dashboard.pages.accounts.gate import needs
from dashboard.pages.documents import chapters, tables
from dashboard.pages.help.terms import TERMS, Term, of_setting
from workers.servers.settings import SETTINGS

LIMITS = chapters("limits.md")
GLOSSARY = [(word, Term(re.sub("[`*]", "", meaning))) for word, meaning, _ in tables("glossary.md")[0]]


@needs("see", "GET")
def words(request: HttpRequest) -> HttpResponse:
    settings = [(setting.name, of_setting(setting)) for setting in SETTINGS.values()]
    known = {"settings": settings, "figures": sorted(TERMS.items()), "words": GLOSSARY}
    return render(request, "help/words.html", known)


@needs("enter", "GET")
def limits(request: HttpRequest) -> HttpResponse:
    """Also for guests of share links: it tells nothing about this installation."""
    return render(request, "help/limits.html", {"chapters": LIMITS})
